import { Notifier } from "./notifier.ts";

const NEWLINE = 0x0a;
const DEFAULT_SIZE_BYTES = 1 << 20;
const MAX_CHUNK_BYTES = 64 << 10;
const encoder = new TextEncoder();

/**
 * The last bytes of a service's log. Any number of readers follow it; a reader costs one position in it, so a slow one
 * takes no memory and instead misses the oldest lines. Pages of the ring that were never written take no memory either.
 */
export class LogBuffer {
  readonly #ring: Uint8Array<ArrayBuffer>;
  readonly #sink: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined;
  readonly #changes = new Notifier();
  #end = 0; // bytes ever written; the byte with number n lies at n % size

  /** @param options.sink gets all bytes too, such as a {@link LogFile}; it must copy them */
  constructor(options: { sizeBytes?: number; sink?: (bytes: Uint8Array<ArrayBuffer>) => void } = {}) {
    this.#ring = new Uint8Array(options.sizeBytes ?? DEFAULT_SIZE_BYTES);
    this.#sink = options.sink;
  }

  /** Bytes ever written. */
  get writtenBytes(): number {
    return this.#end;
  }

  /** Appends bytes, which are copied; lines may be split over calls at any place. */
  write(bytes: Uint8Array<ArrayBuffer>): void {
    this.#sink?.(bytes);
    const size = this.#ring.length;
    const kept = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes;
    const at = (this.#end + bytes.length - kept.length) % size;
    const head = kept.subarray(0, size - at);
    this.#ring.set(head, at);
    this.#ring.set(kept.subarray(head.length), 0);
    this.#end += bytes.length;
    this.#changes.notify();
  }

  /** Appends a line of text. */
  writeLine(text: string): void {
    this.write(encoder.encode(`${text}\n`));
  }

  /** What is kept, from the start of a line on: all of it, or the last `tailLines` lines. */
  read(tailLines?: number): Uint8Array<ArrayBuffer> {
    return this.#copy(this.#position(tailLines), this.#end);
  }

  /**
   * What {@link read} gives, then what comes, until the signal aborts; in chunks of at most 64 KiB. Chunks end
   * anywhere in a line. A reader that falls behind by more than the buffer goes on at the oldest whole line.
   */
  async *follow(signal: AbortSignal, tailLines?: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    let position = this.#position(tailLines);
    while (!signal.aborted) {
      if (position < this.#end - this.#ring.length) position = this.#oldestLine();
      if (position === this.#end) {
        await this.#changes.next(signal);
        continue;
      }
      const from = position;
      position = Math.min(this.#end, from + MAX_CHUNK_BYTES);
      yield this.#copy(from, position);
    }
  }

  #byte(position: number): number | undefined {
    return this.#ring[position % this.#ring.length];
  }

  /** Once the ring is full, its oldest byte is somewhere in a line. */
  #oldestLine(): number {
    const start = this.#end - this.#ring.length;
    if (start <= 0) return 0;
    for (let at = start; at < this.#end; at++) if (this.#byte(at) === NEWLINE) return at + 1;
    return start; // one line longer than the buffer
  }

  #position(tailLines: number | undefined): number {
    const oldest = this.#oldestLine();
    if (tailLines === undefined || tailLines < 0) return oldest;
    let left = tailLines;
    let at = this.#end;
    if (left > 0 && at > oldest && this.#byte(at - 1) === NEWLINE) at--; // the end of the last line
    while (left > 0 && at > oldest) if (this.#byte(--at) === NEWLINE && --left === 0) return at + 1;
    return left === 0 ? this.#end : oldest;
  }

  #copy(from: number, to: number): Uint8Array<ArrayBuffer> {
    const size = this.#ring.length;
    const copy = new Uint8Array(to - from);
    const head = this.#ring.subarray(from % size, Math.min(size, from % size + copy.length));
    copy.set(head);
    copy.set(this.#ring.subarray(0, copy.length - head.length), head.length);
    return copy;
  }
}
