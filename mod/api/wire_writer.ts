const encoder = new TextEncoder();
/** Most bytes that a length takes. */
const LENGTH_BYTES = 5;
/** Most bytes that a number takes. */
const NUMBER_BYTES = 10;
/** Up to this length a loop over characters beats the encoder. */
const SHORT_TEXT = 64;

/**
 * Writes protobuf fields straight into one buffer that grows; nested messages get their length when they end. Several
 * times faster than a writer that keeps pieces, and there is one copy, the last.
 * Numbers of fields must be below 16, so that a tag is one byte.
 */
export class WireWriter {
  #buffer = new Uint8Array(1024);
  #at = 0;

  /** Forgets what was written and not finished, because something threw in between. */
  clear(): this {
    this.#at = 0;
    return this;
  }

  /** A text field, empty text too. */
  text(number: number, value: string): this {
    this.#reserve(2 * LENGTH_BYTES + value.length * 3);
    this.#buffer[this.#at++] = number << 3 | 2;
    if (value.length <= SHORT_TEXT && this.#ascii(value)) return this;
    const start = this.#open();
    this.#at += encoder.encodeInto(value, this.#buffer.subarray(this.#at)).written;
    return this.end(start);
  }

  /** A field of bytes, or a message that is encoded already. */
  bytes(number: number, value: Uint8Array): this {
    this.#reserve(2 * LENGTH_BYTES + value.length);
    this.#buffer[this.#at++] = number << 3 | 2;
    this.#varint(value.length);
    return this.raw(value);
  }

  /** Bytes that hold whole fields. */
  raw(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** A whole number, as int32, int64, uint32, uint64 or enum have it. */
  number(number: number, value: number): this {
    this.#reserve(1 + NUMBER_BYTES);
    this.#buffer[this.#at++] = number << 3;
    if (value >= 0) this.#varint(value);
    else this.#negative(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  /** Starts a nested message; its end takes what this returns. */
  begin(number: number): number {
    this.#reserve(1 + LENGTH_BYTES);
    this.#buffer[this.#at++] = number << 3 | 2;
    return this.#open();
  }

  /** Ends a nested message: puts its length in front of it. */
  end(start: number): this {
    const length = this.#at - start;
    let digits = 1;
    for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) digits++;
    if (digits > 1) {
      this.#reserve(digits);
      this.#buffer.copyWithin(start + digits - 1, start, this.#at);
    }
    this.#at = start - 1;
    this.#varint(length);
    this.#at += length;
    return this;
  }

  /** A copy of what was written; the writer starts anew. */
  finish(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(0, this.#at);
    this.#at = 0;
    return bytes;
  }

  /** Leaves one byte for a length and answers with what follows it. */
  #open(): number {
    return ++this.#at;
  }

  /** Writes length and text when every character is one byte. */
  #ascii(value: string): boolean {
    const start = this.#at;
    this.#buffer[this.#at++] = value.length;
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index);
      if (unit >= 0x80) {
        this.#at = start;
        return false;
      }
      this.#buffer[this.#at++] = unit;
    }
    return true;
  }

  #negative(value: bigint): void {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[this.#at++] = Number(rest);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[this.#at++] = rest % 0x80 | 0x80;
    this.#buffer[this.#at++] = rest;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#at + more));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }
}
