import type { Struct, StructTable, StructValues } from "./struct.ts";

/** Header of every message, include/uapi/linux/netlink.h `struct nlmsghdr`: length, type, flags, sequence, port. */
export const NLMSG_HEADER_SIZE = 16;
const ATTRIBUTE_HEADER_SIZE = 4;
const NLA_F_NESTED = 0x8000;
/** Type without the bits for nesting and byte order. */
export const NLA_TYPE_MASK = 0x3fff;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An attribute that nobody here knows, as the kernel sent it. */
export interface RawAttribute {
  readonly type: number;
  readonly value: Uint8Array;
}

/** A record while it is being decoded. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** No unknown attributes; one object for all. */
export const NO_ATTRIBUTES: readonly RawAttribute[] = Object.freeze([]);

/** Rounds up to the alignment of messages and attributes. */
export function align4(length: number): number {
  return (length + 3) & ~3;
}

/** Room that one writer at a time uses, so that a small message costs one small allocation. */
let scratch: Uint8Array<ArrayBuffer> | undefined = new Uint8Array(4096);

/** Builds the payload of a message: a fixed struct, then attributes. Numbers are little-endian. */
export class PayloadWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  constructor() {
    this.#bytes = scratch ?? new Uint8Array(4096);
    scratch = undefined;
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The struct that the message type starts with. */
  header<T extends StructTable>(codec: Struct<T>, values: Partial<StructValues<T>>): void {
    const at = this.#grow(codec.size);
    codec.write(this.#view, at, values);
  }

  u8(type: number, value: number): void {
    this.#view.setUint8(this.#attribute(type, 1), value);
  }

  u16(type: number, value: number): void {
    const at = this.#attribute(type, 2);
    this.#view.setUint16(at, value, true);
  }

  /** In network order. */
  u16be(type: number, value: number): void {
    const at = this.#attribute(type, 2);
    this.#view.setUint16(at, value);
  }

  u32(type: number, value: number): void {
    const at = this.#attribute(type, 4);
    this.#view.setUint32(at, value, true);
  }

  bytes(type: number, value: Uint8Array): void {
    const at = this.#attribute(type, value.length);
    this.#bytes.set(value, at);
  }

  /** With the final NUL. */
  text(type: number, value: string): void {
    this.bytes(type, encoder.encode(`${value}\0`));
  }

  /** Attributes written by `fill` become the value of this one; `header` is a struct in front of them. */
  nest(type: number, fill: () => void, header: Uint8Array = new Uint8Array(), flag = NLA_F_NESTED): void {
    const start = this.#length;
    this.bytes(type | flag, header);
    fill();
    this.#view.setUint16(start, this.#length - start, true);
  }

  /** Bytes that are no attribute, such as the structs inside RTA_MULTIPATH; gives where they lie. */
  raw(value: Uint8Array): number {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return at;
  }

  /** Writes the length from `at` to here into the two bytes at `at`. */
  setLength(at: number): void {
    this.#view.setUint16(at, this.#length - at, true);
  }

  /** A copy of all of it; the writer is done. */
  finish(): Uint8Array<ArrayBuffer> {
    const result = this.#bytes.slice(0, this.#length);
    this.#bytes.fill(0, 0, this.#length);
    scratch = this.#bytes;
    return result;
  }

  #attribute(type: number, length: number): number {
    const at = this.#grow(ATTRIBUTE_HEADER_SIZE + length);
    this.#view.setUint16(at, ATTRIBUTE_HEADER_SIZE + length, true);
    this.#view.setUint16(at + 2, type, true);
    return at + ATTRIBUTE_HEADER_SIZE;
  }

  #grow(length: number): number {
    const at = this.#length;
    this.#length += align4(length);
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

/**
 * Calls back for each attribute from `start` to `end`, with where its value lies.
 *
 * @throws {RangeError} if the last one is cut off
 */
export function visitAttributes(
  view: DataView,
  start: number,
  end: number,
  visit: (type: number, at: number, length: number) => void,
): void {
  for (let at = start; at < end;) {
    const length = attributeLength(view, at, end);
    visit(view.getUint16(at + 2, true) & NLA_TYPE_MASK, at + ATTRIBUTE_HEADER_SIZE, length - ATTRIBUTE_HEADER_SIZE);
    at += align4(length);
  }
}

/** Length, header included, of the attribute at `at`. @throws {RangeError} if it does not end before `end` */
export function attributeLength(view: DataView, at: number, end: number): number {
  const length = at + ATTRIBUTE_HEADER_SIZE <= end ? view.getUint16(at, true) : 0;
  if (length < ATTRIBUTE_HEADER_SIZE || at + length > end) {
    throw new RangeError(`Cannot decode netlink attribute: ${end - at} bytes left where ${length} are needed`);
  }
  return length;
}

/** Throws a RangeError unless `size` bytes lie between `start` and `end`. */
export function requireBytes(start: number, end: number, size: number, what: string): void {
  if (end - start < size) throw new RangeError(`Cannot decode ${what}: ${end - start} bytes where ${size} are needed`);
}

/** A copy of bytes in a message. */
export function copyBytes(view: DataView, at: number, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer, view.byteOffset + at, length).slice() as Uint8Array<ArrayBuffer>;
}

/** Text in a message, without its final NUL. */
export function readText(view: DataView, at: number, length: number): string {
  const end = length > 0 && view.getUint8(at + length - 1) === 0 ? length - 1 : length;
  return decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, end));
}

/** All bytes of a view. */
export function bytesOf(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** A view on all of some bytes, as the decoders want it. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
