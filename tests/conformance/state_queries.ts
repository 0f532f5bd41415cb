import { deepStrictEqual, rejects } from "node:assert/strict";
import type { LabelOperation, LabelTerm, Query } from "../../mod/cosi/mod.ts";
import { at, idsOf, KIND, Reader, type StateTest, thing } from "./state_fixture.ts";

const term = (key: string, op: LabelOperation, ...values: string[]): LabelTerm => ({ key, op, values, invert: false });
const not = (inner: LabelTerm): LabelTerm => ({ ...inner, invert: true });

/** Label value (undefined: no label), term, whether it matches. Clause 2.58, all cells; 10.17. */
const TABLE: readonly (readonly [label: string | undefined, term: LabelTerm, matches: boolean])[] = [
  [undefined, term("l", "exists"), false],
  [undefined, not(term("l", "exists")), true],
  ["", term("l", "exists"), true],
  ["", not(term("l", "exists")), false],
  ...(["equal", "in"] as const).flatMap((op) =>
    [
      [undefined, term("l", op, "x"), false],
      [undefined, not(term("l", op, "x")), true],
      ["x", term("l", op), false],
      ["x", not(term("l", op)), true],
      ["x", term("l", op, "x"), true],
      ["x", not(term("l", op, "x")), false],
      ["x", term("l", op, "y"), false],
      ["x", term("l", op, "y", "x"), op === "in"],
    ] as const
  ),
  ...(["lt", "lte", "ltNumeric", "lteNumeric"] as const).flatMap((op) =>
    [
      [undefined, term("l", op, "5"), false],
      [undefined, not(term("l", op, "5")), false],
      ["5", term("l", op), false],
      ["5", not(term("l", op)), true],
      ["4", term("l", op, "5"), true],
      ["4", not(term("l", op, "5")), false],
      ["5", term("l", op, "5"), op.startsWith("lte")],
      ["6", term("l", op, "5"), false],
      ["6", not(term("l", op, "5")), true],
      ["10", term("l", op, "9"), !op.endsWith("Numeric")],
    ] as const
  ),
  ["Ａ", term("l", "lt", "𝒳"), true], // plain JavaScript order says otherwise (9.31)
  ["𝒳", term("l", "lte", "Ａ"), false],
  ["x", term("l", "ltNumeric", "5"), false],
  ["x", not(term("l", "ltNumeric", "5")), false],
  ["5", not(term("l", "ltNumeric", "x")), false],
  ["10kg", term("l", "ltNumeric", "10001"), true],
  ["10kg", term("l", "ltNumeric", "10000"), false],
  ["1Gi", term("l", "lteNumeric", "1G"), false],
  ["1G", term("l", "ltNumeric", "1Gi"), true],
  [" 5 ", term("l", "lteNumeric", "5"), true],
  ["-3", term("l", "ltNumeric", "0"), true],
  ["1-2", not(term("l", "ltNumeric", "0")), false],
  ["1.5k", not(term("l", "ltNumeric", "0")), false],
  ["k", not(term("l", "ltNumeric", "0")), false],
  ["1 1", not(term("l", "ltNumeric", "0")), false],
  ["1TIB", term("l", "lteNumeric", "1099511627776"), true],
];

const PATTERNS: readonly (readonly [pattern: string, ids: readonly string[]])[] = [
  ["path", ["path-1", "path-2", "x-path"]],
  ["^path", ["path-1", "path-2"]],
  ["^path-1$", ["path-1"]],
  ["\\Apath-[12]\\z", ["path-1", "path-2"]],
  ["(?i)PATH-2", ["path-2"]],
  ["(a|p)+$", []],
  ["", ["other", "path-1", "path-2", "x-path"]],
];

/** Rows about label and id queries (cosi.md 2-K). */
export const QUERIES: readonly StateTest[] = [
  {
    name: "TestIDQuery: in lists and kind watches",
    clauses: ["2.60", "2.36"],
    async run(state) {
      for (const id of ["x-path", "path-2", "other", "path-1"]) await state.create(thing(id));
      for (const [id, ids] of PATTERNS) deepStrictEqual(await idsOf(state.list(KIND, { id })), ids, id);
      using reader = new Reader(await state.watchKind(KIND, { id: "^path", bootstrapContents: true }));
      await reader.expect("created path-1@1 ~", "created path-2@1 ~", "bootstrapped @undefined");
      await state.destroy(at("other"));
      await state.destroy(at("path-2"));
      await reader.expect("destroyed path-2@1");
    },
  },
  {
    name: "patterns that are not RE2 are refused, and none takes more than linear time",
    clauses: ["2.60", "9.36"],
    async run(state) {
      await state.create(thing("a".repeat(5000)));
      for (const id of ["(", "(?=a)", "(a)\\1", "[z-a]"]) {
        await rejects(state.list(KIND, { id }));
        await rejects(state.watchKind(KIND, { id }));
      }
      deepStrictEqual(await state.list(KIND, { id: "^(a+)+$b" }), []);
    },
  },
  {
    name: "TestLabels: the truth table of clause 2.58",
    clauses: ["2.57", "2.58", "2.59", "10.17"],
    async run(state) {
      const values = [...new Set(TABLE.map(([label]) => label))];
      for (const [index, label] of values.entries()) {
        await state.create(thing(String(index), 0, label === undefined ? {} : { l: label }));
      }
      for (const [label, asked, matches] of TABLE) {
        const ids = await idsOf(state.list(KIND, { labels: [[asked]] }));
        const text = `${label} ${asked.invert ? "not " : ""}${asked.op} ${asked.values}`;
        deepStrictEqual(ids.includes(String(values.indexOf(label))), matches, text);
      }
    },
  },
  {
    name: "terms are joined by and, queries by or; an empty one matches all",
    clauses: ["2.56"],
    async run(state) {
      await state.create(thing("a", 0, { app: "x", tier: "1" }));
      await state.create(thing("b", 0, { app: "x", tier: "2" }));
      await state.create(thing("c", 0, { app: "y" }));
      const x = term("app", "equal", "x"), one = term("tier", "equal", "1"), y = term("app", "equal", "y");
      const cases: readonly (readonly [query: Query, ids: readonly string[]])[] = [
        [{ labels: [[x, one]] }, ["a"]],
        [{ labels: [[x, one], [y]] }, ["a", "c"]],
        [{ labels: [[x], []] }, ["a", "b", "c"]],
        [{ labels: [] }, ["a", "b", "c"]],
        [{ labels: [[x]], id: "b" }, ["b"]],
      ];
      for (const [query, ids] of cases) deepStrictEqual(await idsOf(state.list(KIND, query)), ids);
    },
  },
  {
    name: "lists are in the byte order of UTF-8",
    clauses: ["10.9", "9.31", "2.14"],
    async run(state) {
      for (const id of ["b", "a", "Z", "𝒳", "Ａ"]) await state.create(thing(id));
      deepStrictEqual(await idsOf(state.list(KIND)), ["Z", "a", "b", "Ａ", "𝒳"]);
      await state.create(thing("Ｂ"));
      await state.destroy(at("a"));
      deepStrictEqual(await idsOf(state.list(KIND)), ["Z", "b", "Ａ", "Ｂ", "𝒳"]);
    },
  },
];
