import { decodeProto, encodeProto, field, record } from "../schema/mod.ts";
import type { AnyDefinition } from "./definition.ts";
import { decodeSpec, encodeSpec } from "./encoding.ts";
import type { Pointer, TextMap, Timestamp } from "./metadata.ts";
import { makeMetadata, parsePhase } from "./metadata_edit.ts";
import { makeResource, OpaqueSpec, type Resource } from "./resource.ts";
import { textMap } from "./text_map.ts";

interface Entry {
  readonly key: string;
  readonly value: string;
}
/** What is stored of an object beside its name and version. */
interface StoredRecord {
  readonly owner: string;
  readonly phase: string;
  readonly created: Timestamp;
  readonly updated: Timestamp;
  readonly labels: readonly Entry[];
  readonly annotations: readonly Entry[];
  readonly finalizers: readonly string[];
  readonly proto?: Uint8Array;
  readonly yaml: string;
}

const TIME = record<Timestamp>()({ seconds: field.int64(1), nanos: field.int32(2) });
const ENTRY = record<Entry>()({ key: field.string(1), value: field.string(2) });
const RECORD = record<StoredRecord>()({
  owner: field.string(1),
  phase: field.string(2),
  created: field.record(3, TIME),
  updated: field.record(4, TIME),
  labels: field.list(5, field.record(0, ENTRY)),
  annotations: field.list(6, field.record(0, ENTRY)),
  finalizers: field.list(7, field.string()),
  proto: field.optional(field.bytes(8)),
  yaml: field.string(9),
});

const entries = (map: TextMap): Entry[] => Array.from(map, ([key, value]) => ({ key, value }));
const mapOf = (list: readonly Entry[]): TextMap => textMap(list.map(({ key, value }) => [key, value] as const));

/**
 * The stored form: metadata but name and version, and the spec as protobuf. An opaque spec keeps both its encodings.
 * @throws {TypeError} for a spec that is neither opaque nor of a known type.
 */
export function encodeStored(resource: Resource, definition: AnyDefinition | undefined): Uint8Array {
  const { metadata, spec } = resource;
  const { owner, phase, created, updated, labels, annotations, finalizers } = metadata;
  const proto = encodeSpec(resource, definition);
  const stored: StoredRecord = {
    ...{ owner, phase, created, updated, finalizers },
    labels: entries(labels),
    annotations: entries(annotations),
    ...(proto === undefined ? {} : { proto }),
    yaml: spec instanceof OpaqueSpec ? spec.yaml : "",
  };
  return encodeProto(RECORD, stored);
}

/** @throws {RangeError} {@link SyntaxError} when the bytes are not a stored form. */
export function decodeStored(
  bytes: Uint8Array,
  { namespace, type, id }: Pointer,
  version: bigint,
  definition: AnyDefinition | undefined,
): Resource {
  const stored = decodeProto(RECORD, bytes) as unknown as StoredRecord;
  const metadata = makeMetadata(
    ...[namespace, type, id, version, stored.owner, parsePhase(stored.phase)] as const,
    ...[Object.freeze(stored.created), Object.freeze(stored.updated)] as const,
    ...[mapOf(stored.labels), mapOf(stored.annotations), stored.finalizers] as const,
  );
  return makeResource(metadata, decodeSpec(definition, stored.proto, stored.yaml));
}
