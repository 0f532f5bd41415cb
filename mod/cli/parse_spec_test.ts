import { deepStrictEqual, throws } from "node:assert/strict";
import { parse, stringify } from "@std/yaml";
import { parseSpec } from "./parse_spec.ts";

const TEXTS: readonly string[] = [
  "",
  "text",
  "10.0.0.1/8",
  "5",
  "-0",
  "true",
  "~",
  "{}",
  "[]",
  "a: 1\nb: two\nc: 10.0.0.1/8\nd: fe80::1/64\n",
  "a:\nb: null\nc: ~\nd: \n",
  "a: true\nb: False\nc: yes\nd: Null\n",
  "a: 1.5\nb: .5\nc: 1e3\nd: 007\ne: 0x1f\nf: 0o17\ng: +1\nh: 1_000\ni: .inf\nj: 1.2.3\nk: -\n",
  "a: 12345678901234567890\n",
  'a: ""\nb: "x: y"\nc: "tab\\t\\u00fc"\nd: "\\x41"\ne: \'it\'\'s\'\n"quoted key": 1\n"a\\"b": 2\n',
  "a:\n    b:\n        c: 1\n    d: 2\ne: 3\n",
  "a:\n    - x\n    - 1\n    - b: 1\n      c: 2\n    - []\nd: e\n",
  "a:\n- x\n- y: 1\n  z:\n  - deep\nb: 1\n",
  "- a\n- - b\n  - c\n-   d: 1\n    e: 2\n",
  "- \n- a\n",
  "-\n  a: 1\n",
  "a: |\n    one\n    two\n",
  "a: >-\n    one\n    two\nb: 1\n",
  "|\n    one\n    two\n",
  "a: one\n  two\nb: 1\n",
  "a: b # comment\n",
  "# comment\na: b\n",
  "a: {b: 1, c: [2, 3]}\n",
  "a: &x 1\nb: *x\n",
  "a: !!str 1\n",
  "? a\n: b\n",
  "---\na: 1\n",
  "a: b\n\nc: d\n",
  "true: 1\nnull: 2\n3: 4\n",
  "a.b/c-d: 1\nx y: 2\n",
  "a: 2026-11-29T22:00:00Z\nb: 12:30:45\nc: a-b:c\nd: x,y (z)\n",
  "a:  spaced \nb:   1\n",
  "a: ünï\nb: @x\n",
];
for (const text of TEXTS) {
  Deno.test(`parseSpec() reads as YAML does: ${JSON.stringify(text)}`, () => {
    const read = (by: (text: string) => unknown) => {
      try {
        return by(text);
      } catch (error) {
        return String(error);
      }
    };
    deepStrictEqual(read(parseSpec), read((text) => parse(text, { schema: "core" })));
  });
}

for (const text of ["a: 1\na: 2\n", "a: b: c\n", "a: 1\n   b: 2\n", "a: 'x\n", 'a: "x\n']) {
  Deno.test(`parseSpec() refuses ${JSON.stringify(text)}`, () => {
    throws(() => parseSpec(text), SyntaxError);
  });
}

/** Random plain data from a seed, so that a failure can be repeated. */
function sample(seed: number): unknown {
  let state = seed;
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const scalars = ["", "x", "a b", "1", "-5", "1.5", "true", "null", "~", "a: b", "a #b", "- x", "10.0.0.1/8", "::1"];
  const others = [
    0,
    -1,
    1.25,
    1e21,
    true,
    null,
    "line\nline",
    "é\t",
    "'",
    '"',
    "{}",
    "[x",
    "*a",
    "&b",
    "%",
    "=",
    " x ",
  ];
  const value = (depth: number): unknown => {
    const kind = depth > 3 ? 0 : random(4);
    if (kind === 1) return Array.from({ length: random(3) }, () => value(depth + 1));
    if (kind === 2) {
      const keys = ["a", "b.c", "d-e", "f/g", "0", "with space", "null", "x:"];
      return Object.fromEntries(Array.from({ length: random(4) }, () => [keys[random(8)], value(depth + 1)]));
    }
    return random(2) === 0 ? scalars[random(scalars.length)] : others[random(others.length)];
  };
  return value(0);
}

Deno.test("parseSpec() reads back what is written, whatever it is", () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const data = sample(seed);
    const text = stringify(data, { indent: seed % 2 === 0 ? 4 : 2, lineWidth: -1, arrayIndent: seed % 3 !== 0 });
    deepStrictEqual(parseSpec(text), data, text);
  }
});
