import type { WireType } from "@bufbuild/protobuf/wire";

const encoder = new TextEncoder();
/** Up to this length a loop over characters beats the encoder. */
const SHORT_TEXT = 64;
/** Most bytes that a number takes, and most that a length takes. */
const NUMBER_BYTES = 10;
/** Above this size the buffer is not kept for the next message. */
const MAX_KEPT = 1 << 20;

/**
 * Writes protobuf into one buffer that is used again for the next message; a nested message gets its length when it
 * ends. Method names are those of `BinaryWriter`, which keeps pieces and takes several times as long.
 */
export class ProtoWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  readonly #starts: number[] = [];

  /** Number and form of the next value; lists of fields and their numbers stay below 2^28. */
  tag(number: number, type: WireType): this {
    return this.uint32(number << 3 | type);
  }

  /** Starts a message or a packed list; `join` ends it. */
  fork(): this {
    this.#reserve(NUMBER_BYTES);
    this.#at++; // most are shorter than 128 bytes
    this.#starts.push(this.#at);
    return this;
  }

  join(): this {
    const start = this.#starts.pop();
    if (start === undefined) throw new TypeError("Cannot end a message: none was started");
    const length = this.#at - start;
    let digits = 1;
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) digits++;
    if (digits > 1) {
      this.#reserve(digits);
      this.#bytes.copyWithin(start + digits - 1, start, this.#at);
    }
    this.#at = start - 1;
    this.#varint(length);
    this.#at += length;
    return this;
  }

  uint32(value: number): this {
    this.#reserve(NUMBER_BYTES);
    this.#varint(value);
    return this;
  }

  /** Negative numbers take ten bytes, as the format has it. */
  int32(value: number): this {
    return value >= 0 ? this.uint32(value) : this.int64(value);
  }

  /** A safe integer. */
  uint64(value: number): this {
    this.#reserve(NUMBER_BYTES);
    let rest = value;
    for (; rest >= 2 ** 31; rest = Math.floor(rest / 0x80)) this.#bytes[this.#at++] = rest % 0x80 | 0x80;
    this.#varint(rest);
    return this;
  }

  /** A safe integer. */
  int64(value: number): this {
    if (value >= 0) return this.uint64(value);
    this.#reserve(NUMBER_BYTES);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
    return this;
  }

  bool(value: boolean): this {
    return this.uint32(value ? 1 : 0);
  }

  double(value: number): this {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(NUMBER_BYTES + value.length);
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  string(value: string): this {
    this.#reserve(NUMBER_BYTES + value.length * 3);
    if (value.length <= SHORT_TEXT && this.#ascii(value)) return this;
    this.fork();
    this.#at += encoder.encodeInto(value, this.#bytes.subarray(this.#at)).written;
    return this.join();
  }

  /** A copy of what was written; the writer starts anew. */
  finish(): Uint8Array<ArrayBuffer> {
    const message = this.#bytes.slice(0, this.#at);
    this.clear();
    return message;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#at = 0;
    this.#starts.length = 0;
    if (this.#bytes.length > MAX_KEPT) this.#resize(1024);
  }

  /** Writes length and text when every character is one byte; otherwise nothing. */
  #ascii(value: string): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = value.length;
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index);
      if (unit >= 0x80) return false;
      bytes[at++] = unit;
    }
    this.#at = at;
    return true;
  }

  /** At most 32 bits; the room is there. */
  #varint(value: number): void {
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#at++] = rest & 0x7f | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  #reserve(more: number): void {
    if (this.#at + more > this.#bytes.length) this.#resize(Math.max(this.#bytes.length * 2, this.#at + more));
  }

  #resize(length: number): void {
    const bytes = new Uint8Array(length);
    bytes.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
