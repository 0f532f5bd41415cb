import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ProtoWriter } from "./proto_writer.ts";
import type { Field, RecordShape, Scalar, Shape } from "./shape.ts";

/** Fields of a record that travel, in the order of their numbers, and by number. Made once a shape. */
interface Layout {
  readonly ordered: readonly (readonly [key: string, field: Field])[];
  readonly byNumber: ReadonlyMap<number, readonly [key: string, field: Field]>;
}
const layouts = new WeakMap<RecordShape, Layout>();

function layoutOf(shape: RecordShape): Layout {
  let layout = layouts.get(shape);
  if (layout === undefined) {
    const ordered = Object.entries(shape.fields).filter(([, field]) => field.number > 0)
      .sort(([, a], [, b]) => a.number - b.number);
    layout = { ordered, byNumber: new Map(ordered.map((entry) => [entry[1].number, entry])) };
    layouts.set(shape, layout);
  }
  return layout;
}

type Plain = Readonly<Record<string, unknown>>;

/** One for all: encoding never waits and never nests. */
const shared = new ProtoWriter();

/** The protobuf form of a record. Zero values stay away, except in optional fields, where zero differs from absent. */
export function encodeProto(shape: RecordShape, value: unknown): Uint8Array {
  try {
    writeRecord(shared, shape, value as Plain);
    return shared.finish();
  } catch (error) {
    shared.clear();
    throw error;
  }
}

/** Writes the fields of a record where the writer is, such as inside a message of the caller's own. */
export function writeProto(writer: ProtoWriter, shape: RecordShape, value: unknown): void {
  writeRecord(writer, shape, value as Plain);
}

function writeRecord(writer: ProtoWriter, shape: RecordShape, value: Plain): void {
  for (const [key, field] of layoutOf(shape).ordered) {
    const member = value[key];
    if (member !== undefined) writeField(writer, field, member);
  }
}

function writeField(writer: ProtoWriter, field: Field, value: unknown): void {
  const { shape, number } = field;
  switch (shape.kind) {
    case "scalar":
      if (field.optional || !shape.isZero(value)) writeItem(writer, number, shape, value);
      return;
    case "record":
      return writeItem(writer, number, shape, value);
    case "list":
      return writeList(writer, number, shape.item, value as readonly unknown[]);
    case "map":
      for (const key of Object.keys(value as Plain).sort()) {
        writer.tag(number, WireType.LengthDelimited).fork();
        if (key !== "") writer.tag(1, WireType.LengthDelimited).string(key);
        writeItem(writer, 2, shape.value, (value as Plain)[key]);
        writer.join();
      }
      return;
    case "any":
      throw new TypeError("Cannot encode free-form YAML: it has no protobuf form");
  }
}

/** proto3 packs repeated numbers into one field. */
function writeList(writer: ProtoWriter, number: number, item: Shape, values: readonly unknown[]): void {
  if (values.length === 0) return;
  if (item.kind === "scalar" && item.wireType !== WireType.LengthDelimited) {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const value of values) item.write(writer, value);
    writer.join();
    return;
  }
  for (const value of values) writeItem(writer, number, item, value);
}

/** A list item or map value: written also when zero. */
function writeItem(writer: ProtoWriter, number: number, shape: Shape, value: unknown): void {
  switch (shape.kind) {
    case "scalar":
      writer.tag(number, shape.wireType);
      shape.write(writer, value);
      return;
    case "record":
      writer.tag(number, WireType.LengthDelimited).fork();
      writeRecord(writer, shape, value as Plain);
      writer.join();
      return;
    default:
      throw new TypeError(`Cannot encode a ${shape.kind} inside a list or map: protobuf has no such form`);
  }
}

/**
 * The record of a protobuf message. Unknown fields are skipped; absent ones become zero, or stay absent when optional.
 * A field of another wire type than declared counts as unknown. @throws {RangeError} when the bytes end early.
 */
export function decodeProto(shape: RecordShape, bytes: Uint8Array): Record<string, unknown> {
  return readRecord(new BinaryReader(bytes), shape, bytes.length);
}

function readRecord(reader: BinaryReader, shape: RecordShape, length: number): Record<string, unknown> {
  const value = zeroRecord(shape);
  const { byNumber } = layoutOf(shape);
  const end = reader.pos + length;
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    const entry = byNumber.get(number);
    if (entry === undefined || !hasWire(entry[1].shape, wire)) reader.skip(wire, number);
    else readField(reader, wire, entry[1].shape, value, entry[0]);
  }
  if (reader.pos > end) throw new RangeError("Cannot decode a message: a part is longer than the whole");
  return value;
}

/** Whether a value of this shape may come in this form; numbers of a list come one by one or packed. */
function hasWire(shape: Shape, wire: WireType): boolean {
  if (shape.kind === "scalar") return wire === shape.wireType;
  if (wire === WireType.LengthDelimited) return true;
  return shape.kind === "list" && shape.item.kind === "scalar" && wire === shape.item.wireType;
}

function readField(
  reader: BinaryReader,
  wire: WireType,
  shape: Shape,
  into: Record<string, unknown>,
  key: string,
): void {
  if (shape.kind === "list") {
    const list = (into[key] ??= []) as unknown[];
    const { item } = shape;
    if (item.kind === "scalar" && item.wireType !== WireType.LengthDelimited && wire === WireType.LengthDelimited) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) list.push(item.read(reader, 0));
    } else {
      list.push(readValue(reader, item));
    }
  } else if (shape.kind === "map") {
    const map = (into[key] ??= Object.create(null)) as Record<string, unknown>;
    const end = reader.uint32() + reader.pos;
    let name = "", value: unknown = zeroOf(shape.value);
    while (reader.pos < end) {
      const [number, memberWire] = reader.tag();
      if (number === 1) name = reader.string();
      else if (number === 2) value = readValue(reader, shape.value);
      else reader.skip(memberWire, number);
    }
    map[name] = value;
  } else {
    into[key] = readValue(reader, shape);
  }
}

function readValue(reader: BinaryReader, shape: Shape): unknown {
  if (shape.kind === "record") return readRecord(reader, shape, reader.uint32());
  if (shape.kind === "scalar") return readScalar(reader, shape);
  throw new TypeError(`Cannot decode a ${shape.kind} inside a list or map: protobuf has no such form`);
}

/** Small messages (NetIP, Duration …) need their length; plain bytes and text read their own. */
function readScalar(reader: BinaryReader, shape: Scalar): unknown {
  return shape.message ? shape.read(reader, reader.uint32()) : shape.read(reader, 0);
}

/** The value an absent field stands for. */
export function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case "scalar":
      return shape.zero;
    case "record":
      return zeroRecord(shape);
    case "list":
      return [];
    case "map":
      return Object.create(null);
    case "any":
      return null;
  }
}

/** A record with every field at zero and the optional ones absent. */
export function zeroRecord(shape: RecordShape): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const key in shape.fields) {
    const field = shape.fields[key];
    if (field !== undefined && !field.optional) value[key] = zeroOf(field.shape);
  }
  return value;
}
