import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { parse, parseAll, stringify } from "@std/yaml";

Deno.test("parse() reads JSON values, and dates only in the default schema", () => {
  deepStrictEqual(parse("a: 1\nb: [true, ~, 0x10]\n"), { a: 1, b: [true, null, 16] });
  deepStrictEqual(parse("at: 2026-11-29\n"), { at: new Date("2026-11-29") });
  deepStrictEqual(parse("at: 2026-11-29\n", { schema: "core" }), { at: "2026-11-29" });
  strictEqual(parse(""), null);
});

Deno.test("parseAll() gives one value a document", () => {
  deepStrictEqual(parseAll("a: 1\n---\nb: 2\n"), [{ a: 1 }, { b: 2 }]);
  deepStrictEqual(parseAll(""), []);
});

Deno.test("parse() refuses broken text, doubled keys and a second document, and shows no excerpt", () => {
  throws(() => parse("a: [1\nsecret: x"), SyntaxError);
  throws(() => parse("token: hunter2\ntoken: hunter3\n"), (error: unknown) => {
    return error instanceof SyntaxError && /line 2, column 1/.test(error.message) && !/hunter/.test(error.message);
  });
  deepStrictEqual(parse("a: 1\na: 2\n", { allowDuplicateKeys: true }), { a: 2 });
  throws(() => parse("a: 1\n---\nb: 2\n"), SyntaxError);
});

Deno.test("stringify() follows indent, order, width and YAML 1.1 quoting", () => {
  strictEqual(stringify({ b: { c: [1] }, a: "yes" }, { indent: 4 }), 'b:\n    c:\n        - 1\na: "yes"\n');
  strictEqual(stringify({ b: 1, a: 2 }, { sortKeys: true }), "a: 2\nb: 1\n");
  const long = "word ".repeat(40).trim();
  strictEqual(stringify({ long }, { lineWidth: -1 }), `long: ${long}\n`);
  strictEqual(stringify({ pem: "A\nB\n" }), "pem: |\n  A\n  B\n");
});

Deno.test("stringify() refuses what YAML cannot hold unless told to skip it", () => {
  throws(() => stringify({ a: { b: undefined } }), TypeError);
  strictEqual(
    stringify({ a: { b: undefined, c: 1 }, d: [1, () => 0] }, { skipInvalid: true }),
    "a:\n  c: 1\nd:\n  - 1\n",
  );
});
