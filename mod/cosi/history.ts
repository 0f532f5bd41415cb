import type { MemoryEvent } from "./memory_event.ts";

/** How many events each collection remembers. */
export interface HistoryOptions {
  /** Events for which room is made at first. */
  readonly initial: number;
  /** Most events kept. */
  readonly max: number;
  /** How near to the oldest event a new watch may not start, once the oldest ones are being dropped (clause 2.42). */
  readonly gap: number;
}

/** The last events of one collection: a ring that doubles until it has its full size. */
export class History {
  /** Events ever written; the next one gets this position. */
  written = 0;
  /** Events that fit now. */
  capacity: number;
  readonly #max: number;
  readonly #gap: number;
  #ring: MemoryEvent[] = [];
  #slice: readonly MemoryEvent[] = [];
  #sliceFrom = -1;
  #sliceTo = -1;
  /** Oldest position that was ever here. */
  #first = 0;

  constructor({ initial, max, gap }: HistoryOptions) {
    this.capacity = Math.min(initial, max);
    this.#max = max;
    this.#gap = gap;
  }

  /** Goes on from a kept history, of which these are the last events without a gap; only before any other use. */
  restore(events: readonly MemoryEvent[], written: number): void {
    while (this.capacity < written && this.capacity < this.#max) this.capacity = Math.min(this.capacity * 2, this.#max);
    const kept = events.slice(Math.max(0, events.length - this.capacity));
    this.written = written;
    this.#first = written - kept.length;
    this.#ring = new Array<MemoryEvent>(Math.min(written, this.capacity));
    for (const event of kept) this.#ring[event.position % this.capacity] = event;
  }

  push(event: MemoryEvent): void {
    if (this.written < this.capacity) {
      this.#ring.push(event);
    } else if (this.capacity < this.#max) {
      this.capacity = Math.min(this.capacity * 2, this.#max);
      this.#ring.push(event);
    } else {
      this.#ring[this.written % this.capacity] = event;
    }
    this.written++;
  }

  /** The event at a position, or undefined when it is gone or not written yet. */
  at(position: number): MemoryEvent | undefined {
    return this.#ring[position % this.capacity];
  }

  /** Whether everything from this position on is still here. */
  has(position: number): boolean {
    return this.written - position <= this.capacity;
  }

  /** The oldest position at which a new watch may start. */
  get entry(): number {
    if (this.capacity < this.#max) return this.#first;
    return Math.max(this.#first, this.written - this.capacity + this.#gap);
  }

  /** The oldest position of which the event is here. */
  get oldest(): number {
    return Math.max(this.#first, this.written - this.capacity);
  }

  /** The events from a position on; readers at the same place get the same array. */
  since(position: number): readonly MemoryEvent[] {
    if (this.#sliceFrom !== position || this.#sliceTo !== this.written) {
      this.#slice = this.#copy(position);
      this.#sliceFrom = position;
      this.#sliceTo = this.written;
    }
    return this.#slice;
  }

  #copy(position: number): readonly MemoryEvent[] {
    const from = position % this.capacity;
    const count = this.written - position;
    if (this.written <= this.capacity) return this.#ring.slice(position, this.written);
    if (from + count <= this.capacity) return this.#ring.slice(from, from + count);
    return this.#ring.slice(from).concat(this.#ring.slice(0, from + count - this.capacity));
  }
}
