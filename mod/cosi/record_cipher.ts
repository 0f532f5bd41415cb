import { createCipheriv, createDecipheriv } from "node:crypto";

const NONCE = 12;
const TAG = 16;

/**
 * AES-256-GCM of records: a nonce, the ciphertext, the tag. Each record is bound to a text that names its place, so
 * that none can stand in for another (clause 9.13). Nonces are random: one key is good for 2^32 records.
 */
export class RecordCipher {
  readonly #key: Uint8Array;

  /** @param key 32 bytes. @throws {RangeError} for another length. */
  constructor(key: Uint8Array) {
    if (key.length !== 32) throw new RangeError(`Cannot encrypt: a key of ${key.length} bytes instead of 32`);
    this.#key = key.slice();
  }

  seal(plain: Uint8Array, place: string): Uint8Array {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(new TextEncoder().encode(place));
    const parts = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
    const sealed = new Uint8Array(plain.length + NONCE + TAG);
    let at = 0;
    for (const part of parts) {
      sealed.set(part, at);
      at += part.length;
    }
    return sealed;
  }

  /** @throws {Error} when the record is of another key or place, or was changed. */
  open(sealed: Uint8Array, place: string): Uint8Array {
    if (sealed.length < NONCE + TAG) throw new RangeError("Cannot decrypt: the record is too short");
    const end = sealed.length - TAG;
    const cipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(0, NONCE));
    cipher.setAAD(new TextEncoder().encode(place));
    cipher.setAuthTag(sealed.subarray(end));
    const plain = cipher.update(sealed.subarray(NONCE, end));
    cipher.final();
    return new Uint8Array(plain);
  }
}
