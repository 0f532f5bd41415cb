import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { parseSize, parseSizeLimit } from "./size.ts";
import { field } from "./field.ts";
import { textScalar } from "./text_scalars.ts";

const sizes: [text: string, bytes: number | undefined][] = [
  ["512", 512],
  ["10GB", 10e9],
  ["1.5 GiB", 1.5 * 2 ** 30],
  ["100MB", 100e6],
  ["2ti", 2 * 2 ** 40],
  ["1 parsec", undefined],
  ["-1GB", undefined],
  ["", undefined],
];
for (const [text, bytes] of sizes) {
  Deno.test(`parseSize() of "${text}" is ${bytes}`, () => strictEqual(parseSize(text), bytes));
}

Deno.test("parseSizeLimit() knows shares and space left free", () => {
  deepStrictEqual(["50%", "101%", "-1kB", "1kB", "x%"].map(parseSizeLimit), [
    { percent: 50 },
    undefined,
    { bytes: -1000 },
    { bytes: 1000 },
    undefined,
  ]);
});

Deno.test("textScalar() and textOrList take their form only", () => {
  const even = field.of(textScalar("an even number", (text) => Number(text) % 2 === 0 ? text : undefined)).shape;
  const args = field.textOrList().shape;
  if (even.kind !== "scalar" || args.kind !== "scalar") throw new TypeError("not scalars");
  strictEqual(even.parse(4), "4");
  strictEqual(even.parse(""), "");
  throws(() => even.parse("3"), SyntaxError);
  throws(() => even.parse([]), SyntaxError);
  deepStrictEqual([args.parse("a"), args.parse(["a", 1])], ["a", ["a", "1"]]);
  throws(() => args.parse({}), SyntaxError);
});
