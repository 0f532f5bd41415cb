import { InvalidBookmarkError } from "./errors.ts";
import type { Kind } from "./metadata.ts";

const SIZE = 20;

/** What tells the bookmarks of one store and its collections from all others. */
export interface BookmarkOrigin {
  /** 8 bytes, other ones for each store. */
  readonly cookie: Uint8Array;
  /** 32 bits, other ones for each collection. */
  tagOf(kind: Kind): number;
}

/** An origin whose bookmarks end with this process. */
export function processOrigin(): BookmarkOrigin {
  let tag = 0;
  return { cookie: crypto.getRandomValues(new Uint8Array(8)), tagOf: () => tag++ };
}

/** An origin whose bookmarks last as long as its cookie is kept: tags follow from the names. */
export function keptOrigin(cookie: Uint8Array): BookmarkOrigin {
  return { cookie, tagOf: ({ namespace, type }) => fnv1a(`${namespace.length} ${namespace}${type}`) };
}

/** The 32-bit FNV-1a hash of the text's UTF-16 units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Bookmarks of one collection: 8 random bytes of the store, 4 bytes of the collection, and the event's position as
 * a signed 64-bit number, big-endian. So one of another store or collection is refused (clause 9.4).
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
