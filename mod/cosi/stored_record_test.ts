import { deepStrictEqual, notDeepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { field } from "../schema/mod.ts";
import { type AnyDefinition, defineResource, newResource, OpaqueSpec, type Resource, withSpec } from "./mod.ts";
import { RecordCipher } from "./record_cipher.ts";
import { decodeStored, encodeStored } from "./stored_record.ts";

const Things = defineResource<{ readonly name: string }>()({
  type: "Things.test.dev",
  namespace: "test",
  fields: { name: field.string(1) },
});
const FULL = newResource(Things, "a", { name: "x" }, {
  version: 2n ** 40n,
  owner: "me",
  phase: "tearingDown",
  created: { seconds: -5, nanos: 999_999_999 },
  updated: { seconds: 1_900_000_000, nanos: 1 },
  labels: new Map([["b", "2"], ["", "1"], ["__proto__", "\u{feff}x"]]),
  annotations: new Map([["n", ""]]),
  finalizers: ["g", "f"],
});
function there(resource: Resource, definition: AnyDefinition | undefined): Resource {
  return decodeStored(encodeStored(resource, definition), resource.metadata, 2n ** 40n, definition);
}

Deno.test("a stored resource comes back as it was", () => {
  deepStrictEqual(there(FULL, Things), FULL);
  deepStrictEqual([...there(FULL, Things).metadata.labels], [...FULL.metadata.labels]);
  deepStrictEqual(there(withSpec(FULL, { name: "" }), Things).spec, { name: "" });
  throws(() => (there(FULL, Things).spec as { name: string }).name = "y", TypeError);
});

Deno.test("an opaque spec comes back with both its forms, and is read once its type is known", () => {
  for (const spec of [new OpaqueSpec(Uint8Array.of(10, 1, 120), "name: x\n"), new OpaqueSpec(undefined, "")]) {
    deepStrictEqual(there({ ...FULL, spec }, undefined).spec, spec);
  }
  const bytes = encodeStored({ ...FULL, spec: new OpaqueSpec(Uint8Array.of(10, 1, 120), "name: x\n") }, undefined);
  deepStrictEqual(decodeStored(bytes, FULL.metadata, 1n, Things).spec, { name: "x" });
  throws(() => encodeStored({ ...FULL }, undefined), TypeError);
});

Deno.test("a stored resource that is cut off is refused", () => {
  const bytes = encodeStored(FULL, Things);
  throws(() => decodeStored(bytes.subarray(0, bytes.length - 1), FULL.metadata, 1n, Things), RangeError);
});

Deno.test("RecordCipher opens what it sealed, in its place and with its key only", () => {
  const cipher = new RecordCipher(new Uint8Array(32).fill(1));
  const plain = new TextEncoder().encode("some text");
  const sealed = cipher.seal(plain, "a");
  deepStrictEqual(cipher.open(sealed, "a"), plain);
  strictEqual(sealed.length, plain.length + 28);
  notDeepStrictEqual(cipher.seal(plain, "a"), sealed);
  strictEqual(cipher.open(cipher.seal(new Uint8Array(0), "a"), "a").length, 0);
  throws(() => cipher.open(sealed, "b"));
  throws(() => new RecordCipher(new Uint8Array(32)).open(sealed, "a"));
  throws(() => cipher.open(sealed.subarray(1), "a"));
  throws(() => cipher.open(sealed.subarray(0, 27), "a"), RangeError);
  throws(() => new RecordCipher(new Uint8Array(31)), RangeError);
});
