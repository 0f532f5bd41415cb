import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  type AnyDefinition,
  encodeSpec,
  EPOCH,
  formatVersion,
  makeResource,
  type Metadata,
  newMetadata,
  OpaqueSpec,
  parsePhase,
  parseVersion,
  type Resource,
  specYaml,
  type Timestamp,
} from "../cosi/mod.ts";
import { decodeProto } from "../schema/mod.ts";
import { WireWriter } from "./wire_writer.ts";

/** The types that this process knows; the specs of all others stay as they came. */
export type DefinitionLookup = (type: string) => AnyDefinition | undefined;

const LENGTH_DELIMITED = WireType.LengthDelimited;
const NO_BYTES = new Uint8Array();

/**
 * How resources travel (cosi.md 5-B, 5-D). Objects are frozen, so each is encoded once, when it is first sent,
 * however many clients read or watch it.
 */
export class ResourceCodec {
  readonly #definition: DefinitionLookup;
  readonly #encoded = new WeakMap<Resource, Uint8Array>();
  readonly #writer = new WireWriter();

  constructor(definition: DefinitionLookup = () => undefined) {
    this.#definition = definition;
  }

  /** A message whose field 1 is the resource, which is what every answer with a resource looks like. Shared bytes. */
  encodeField(resource: Resource): Uint8Array {
    let bytes = this.#encoded.get(resource);
    if (bytes === undefined) {
      const writer = this.#writer.clear();
      const whole = writer.begin(1);
      const metadata = writer.begin(1);
      writeMetadata(writer, resource.metadata);
      writer.end(metadata);
      const spec = writer.begin(2);
      this.#writeSpec(writer, resource);
      bytes = writer.end(spec).end(whole).finish();
      this.#encoded.set(resource, bytes);
    }
    return bytes;
  }

  /** The encoded resource without the field around it. A view. */
  encode(resource: Resource): Uint8Array {
    const field = this.encodeField(resource);
    const reader = new BinaryReader(field);
    reader.tag();
    return reader.bytes();
  }

  /** @throws {SyntaxError} when a part is missing or malformed. */
  decode(bytes: Uint8Array): Resource {
    const { 1: metadataBytes, 2: specBytes } = splitMessage(bytes);
    if (metadataBytes === undefined) throw new SyntaxError("Cannot read a resource: metadata is missing");
    if (specBytes === undefined) throw new SyntaxError("Cannot read a resource: spec is missing");
    const metadata = readMetadata(metadataBytes);
    const { 1: proto, 2: yaml = NO_BYTES } = splitMessage(specBytes);
    const definition = this.#definition(metadata.type);
    const spec = definition === undefined
      ? new OpaqueSpec(proto === undefined || proto.length === 0 ? undefined : new Uint8Array(proto), text(yaml))
      : decodeProto(definition.shape, proto ?? NO_BYTES);
    return makeResource(metadata, spec);
  }

  #writeSpec(writer: WireWriter, resource: Resource): void {
    const { metadata, spec } = resource;
    if (isTombstone(metadata, spec)) return;
    const definition = this.#definition(metadata.type);
    const proto = encodeSpec(resource, definition);
    const yaml = specYaml(resource, definition);
    if (proto !== undefined && proto.length > 0) writer.bytes(1, proto);
    if (yaml !== "") writer.text(2, yaml);
  }
}

/** A resource that was never stored and says nothing: its spec travels empty (clause 5.21). */
function isTombstone({ version }: Metadata, spec: unknown): boolean {
  return version === undefined && typeof spec === "object" && spec !== null && Object.keys(spec).length === 0;
}

function writeMetadata(writer: WireWriter, metadata: Metadata): void {
  writeText(writer, 1, metadata.namespace);
  writeText(writer, 2, metadata.type);
  writeText(writer, 3, metadata.id);
  writeText(writer, 4, formatVersion(metadata.version));
  writeText(writer, 5, metadata.owner);
  writeText(writer, 6, metadata.phase);
  writeTimestamp(writer, 7, metadata.created);
  writeTimestamp(writer, 8, metadata.updated);
  for (const finalizer of metadata.finalizers) writer.text(9, finalizer);
  for (const [number, map] of [[10, metadata.labels], [11, metadata.annotations]] as const) {
    for (const [key, value] of map) {
      const entry = writer.begin(number);
      writeText(writer, 1, key);
      writeText(writer, 2, value);
      writer.end(entry);
    }
  }
}

function writeText(writer: WireWriter, number: number, value: string): void {
  if (value !== "") writer.text(number, value);
}

function writeTimestamp(writer: WireWriter, number: number, { seconds, nanos }: Timestamp): void {
  const start = writer.begin(number);
  if (seconds !== 0) writer.number(1, seconds);
  if (nanos !== 0) writer.number(2, nanos);
  writer.end(start);
}

function readMetadata(bytes: Uint8Array): Metadata {
  const reader = new BinaryReader(bytes);
  const texts = new Map<number, string>();
  const labels = new Map<string, string>();
  const annotations = new Map<string, string>();
  const finalizers = new Set<string>();
  let created = EPOCH;
  let updated = EPOCH;
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number >= 1 && number <= 6) texts.set(number, reader.string());
    else if (number === 7) created = readTimestamp(reader.bytes());
    else if (number === 8) updated = readTimestamp(reader.bytes());
    else if (number === 9) finalizers.add(reader.string());
    else if (number === 10 || number === 11) {
      const { 1: key = NO_BYTES, 2: value = NO_BYTES } = splitMessage(reader.bytes());
      (number === 10 ? labels : annotations).set(text(key), text(value));
    } else reader.skip(wire, number);
  }
  const pointer = { namespace: texts.get(1) ?? "", type: texts.get(2) ?? "", id: texts.get(3) ?? "" };
  return newMetadata(pointer, {
    version: parseVersion(texts.get(4) ?? ""),
    owner: texts.get(5) ?? "",
    phase: parsePhase(texts.get(6) ?? ""),
    created,
    updated,
    labels,
    annotations,
    finalizers: [...finalizers],
  });
}

function readTimestamp(bytes: Uint8Array): Timestamp {
  const reader = new BinaryReader(bytes);
  let { seconds, nanos } = EPOCH;
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number === 1) seconds = Number(reader.int64());
    else if (number === 2) nanos = reader.int32();
    else reader.skip(wire, number);
  }
  return { seconds, nanos };
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The length-delimited fields of a message by number, as views; of several the last. Others are skipped. */
export function splitMessage(bytes: Uint8Array): Readonly<Record<number, Uint8Array>> {
  const fields: Record<number, Uint8Array> = {};
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (wire === LENGTH_DELIMITED) fields[number] = reader.bytes();
    else reader.skip(wire, number);
  }
  return fields;
}
