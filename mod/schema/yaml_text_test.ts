import { ok, strictEqual } from "node:assert/strict";
import { stringify } from "yaml";
import { yamlText } from "./yaml_text.ts";

const OPTIONS = { indent: 4, lineWidth: 0, indentSeq: true, singleQuote: false, aliasDuplicateObjects: false } as const;
const WORDS = ["a", "eth0/10.0.0.1/8", "fe80::1/64", "5", "1.5", "true", "No", "", "x: y", "a #b", "-", "2023-11-14"];
const MORE = [
  "02:00:00:00:00:01",
  "02:00:5e:00:00:01",
  "ü",
  "x:",
  " a",
  "a b ",
  "two\nlines",
  "0x1f",
  "~",
  "1e3",
  "[a]",
];
const TEXTS = [
  ...WORDS,
  ...MORE,
  "on",
  "y",
  "null",
  "v1.2.3",
  "a,b",
  "10Gi",
  "0o7",
  "1_000",
  "=",
  "<<",
  "007",
  "1m30s",
];
const SCALARS = [...TEXTS, null, true, 0, -5, 1.5, 2 ** 53, 2n ** 60n, -0, undefined, [], {}, new Map()];

/** Random plain data of some depth. */
function plainData(random: () => number, depth: number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 4) }, make);
  const value = () => depth > 0 && random() < 0.5 ? plainData(random, depth - 1) : pick(SCALARS);
  const key = () => random() < 0.9 ? `key${Math.floor(random() * 9)}` : pick(TEXTS);
  if (random() < 0.35) return some(value).filter((item) => item !== undefined);
  const entries = some(() => [key(), value()] as const);
  return random() < 0.3 ? new Map(entries.filter(([, item]) => item !== undefined)) : Object.fromEntries(entries);
}

Deno.test("yamlText() is what the library writes, where it writes at all", () => {
  let seed = 7, written = 0;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let turn = 0; turn < 30_000; turn++) {
    const plain = plainData(random, 3);
    for (const nullStr of ["null", ""]) {
      const text = yamlText(plain, "", nullStr);
      if (text === undefined) continue;
      written++;
      const expected = stringify(plain, { ...OPTIONS, nullStr, compat: "yaml-1.1" }).replace(/: +$/gm, ":");
      strictEqual(text, expected, JSON.stringify(plain, (_, value) => typeof value === "bigint" ? `${value}` : value));
    }
  }
  ok(written > 5000, `${written} texts were written`);
});

Deno.test("yamlText() leaves to the library what needs escapes or another style", () => {
  for (const text of ["x: y", "a #b", " a", "two\nlines", "yes", "12:30", "true"]) {
    strictEqual(yamlText({ text }, "", "null"), undefined, text);
  }
  for (const plain of ["text", 5, null, [], {}, [[1]], { a: new Date(0) }, { a: 1.5 }, { a: -0 }]) {
    strictEqual(yamlText(plain, "", "null"), undefined);
  }
});

Deno.test("yamlText() indents what stands below a key", () => {
  strictEqual(
    yamlText({ a: [{ b: 1, c: [] }], d: { e: null } }, "    ", ""),
    "    a:\n        - b: 1\n          c: []\n    d:\n        e:\n",
  );
});
