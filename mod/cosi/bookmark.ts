import { InvalidBookmarkError } from "./errors.ts";

const SIZE = 20;

/**
 * Bookmarks of one collection: 8 random bytes of the process, 4 bytes of the collection, and the event's position as
 * a signed 64-bit number, big-endian. So one of another process or collection is refused (clause 9.4).
 */
export class Bookmarks {
  readonly #prefix = new Uint8Array(12);

  constructor(cookie: Uint8Array, tag: number) {
    this.#prefix.set(cookie.subarray(0, 8));
    new DataView(this.#prefix.buffer).setUint32(8, tag);
  }

  bookmark(position: number): Uint8Array {
    const bytes = new Uint8Array(SIZE);
    bytes.set(this.#prefix);
    new DataView(bytes.buffer).setBigInt64(12, BigInt(position));
    return bytes;
  }

  /** The position of a bookmark. @throws {InvalidBookmarkError} when it is malformed or foreign. */
  position(bookmark: Uint8Array): number {
    if (bookmark.length !== SIZE || this.#prefix.some((byte, at) => bookmark[at] !== byte)) {
      throw new InvalidBookmarkError("Cannot start from bookmark: it is not of this collection");
    }
    return Number(new DataView(bookmark.buffer, bookmark.byteOffset, SIZE).getBigInt64(12));
  }
}
