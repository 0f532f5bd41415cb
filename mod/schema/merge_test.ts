import { deepEqual, strictEqual } from "node:assert/strict";
import { field } from "./field.ts";
import { mergeRecord } from "./merge.ts";
import type { RecordShape } from "./shape.ts";

const ITEM: RecordShape = { kind: "record", fields: { id: field.string(), on: field.optional(field.bool()) } };
const SHAPE: RecordShape = {
  kind: "record",
  fields: {
    name: field.string(),
    texts: field.list(0, field.string()),
    whole: field.list(0, field.string(), { patch: "replace" }),
    items: field.list(0, field.record(0, ITEM), { key: ["id"] }),
    map: field.map(0, field.string()),
    free: field.any(),
    body: field.any({ patch: "replace" }),
  },
};

Deno.test("mergeRecord() merges by the shape and leaves both sides as they were", () => {
  const base = Object.freeze({
    name: "a",
    texts: ["1"],
    whole: ["1"],
    items: [{ id: "x", on: true }],
    map: { a: "1", b: "1" },
    free: { list: [1], deep: { a: 1 }, word: "x" },
    body: { a: 1 },
  });
  const patch = {
    name: "", // a required key that the patch leaves out
    texts: ["2"],
    whole: ["2"],
    items: [{ id: "x", on: false }, { id: "y" }],
    map: { b: "2", c: "2" },
    free: { list: [2], deep: { b: 2 }, word: [3] },
    body: { b: 2 },
  };
  const before = JSON.stringify(base);
  deepEqual(mergeRecord(SHAPE, base, patch), {
    name: "a",
    texts: ["1", "2"],
    whole: ["2"],
    items: [{ id: "x", on: false }, { id: "y" }],
    map: { a: "1", b: "2", c: "2" },
    free: { list: [1, 2], deep: { a: 1, b: 2 }, word: [3] },
    body: { b: 2 },
  });
  strictEqual(JSON.stringify(base), before);
});
