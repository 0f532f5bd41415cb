import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  changeMetadata,
  isMetadataEqual,
  isResourceEqual,
  makeResource,
  metadataText,
  newMetadata,
  NO_TEXT,
  parsePhase,
  parseVersion,
  pointerText,
  textMap,
  timestampOf,
  withFinalizer,
  withoutFinalizer,
  withoutText,
  withText,
} from "./mod.ts";

const POINTER = { namespace: "ns", type: "Things.test.dev", id: "a" };
const METADATA = newMetadata(POINTER, {
  version: 3n,
  owner: "me",
  labels: new Map([["l", "1"]]),
  annotations: new Map([["n", "1"]]),
  finalizers: ["f", "g"],
});

Deno.test("pointers and metadata have a short text (1.2)", () => {
  strictEqual(pointerText(POINTER), "Things.test.dev(ns/a)");
  strictEqual(metadataText(METADATA), "Things.test.dev(ns/a@3)");
  strictEqual(metadataText(newMetadata(POINTER)), "Things.test.dev(ns/a@undefined)");
});

Deno.test("new metadata is running, unversioned and made now (1.5)", () => {
  const { created, updated, phase, version, owner } = newMetadata(POINTER);
  strictEqual(created, updated);
  deepStrictEqual([phase, version, owner], ["running", undefined, ""]);
  ok(Math.abs(created.seconds - Date.now() / 1000) < 60);
});

Deno.test("versions and phases are read strictly (1.4, 1.6)", () => {
  strictEqual(parseVersion("undefined"), undefined);
  strictEqual(parseVersion("18446744073709551615"), 2n ** 64n - 1n);
  for (const text of ["", "-1", "1.5", "x", "18446744073709551616"]) throws(() => parseVersion(text), SyntaxError);
  deepStrictEqual(["running", "tearingDown"].map(parsePhase), ["running", "tearingDown"]);
  throws(() => parsePhase("destroyed"), SyntaxError);
});

Deno.test("finalizers are kept in order of addition, each once; the object before stays (1.11, 1.12)", () => {
  const more = withFinalizer(METADATA, "e");
  deepStrictEqual(more.finalizers, ["f", "g", "e"]);
  deepStrictEqual(METADATA.finalizers, ["f", "g"]);
  strictEqual(withFinalizer(more, "f"), more);
  deepStrictEqual(withoutFinalizer(more, "g").finalizers, ["f", "e"]);
  strictEqual(withoutFinalizer(more, "x"), more);
  deepStrictEqual(changeMetadata(METADATA, { finalizers: ["x", "x"] }).finalizers, ["x"]);
});

Deno.test("labels are changed by making another map (1.12, 1.13)", () => {
  const one = withText(NO_TEXT, "a", "1");
  const two = withText(one, "b", "2");
  deepStrictEqual([[...one], [...two]], [[["a", "1"]], [["a", "1"], ["b", "2"]]]);
  strictEqual(withText(two, "b", "2"), two);
  deepStrictEqual([...withoutText(two, "a")], [["b", "2"]]);
  strictEqual(withoutText(two, "x"), two);
  throws(() => (two as Map<string, string>).clear(), TypeError);
  strictEqual(textMap(undefined), NO_TEXT);
});

Deno.test("metadata is equal whatever its times and the order of finalizers (1.14)", () => {
  const time = timestampOf(5);
  const { finalizers: _, ...other } = METADATA;
  ok(isMetadataEqual(METADATA, changeMetadata(METADATA, { created: time, updated: time, finalizers: ["g", "f"] })));
  const changes = [
    ...[{ version: 4n }, { owner: "you" }, { phase: "tearingDown" }, { labels: new Map([["l", "2"]]) }] as const,
    ...[{ annotations: new Map([["n", "2"]]) }, { finalizers: ["f"] }, { version: undefined }],
  ];
  for (const change of changes) ok(!isMetadataEqual(METADATA, changeMetadata(METADATA, change)));
  for (const name of ["namespace", "type", "id"]) {
    ok(!isMetadataEqual(METADATA, newMetadata({ ...POINTER, [name]: "x" }, { ...other, finalizers: ["f", "g"] })));
  }
});

Deno.test("resources are equal when metadata and the whole spec are (1.15, 1.16)", () => {
  const make = (spec: unknown) => makeResource(METADATA, spec);
  ok(isResourceEqual(make({ a: [{ b: 1 }] }), make({ a: [{ b: 1 }] })));
  ok(!isResourceEqual(make({ a: [{ b: 1 }] }), make({ a: [{ b: 2 }] })));
  ok(!isResourceEqual(make({}), makeResource(changeMetadata(METADATA, { owner: "" }), {})));
  notStrictEqual(make({}), make({}));
});
