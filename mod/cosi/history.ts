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

  constructor({ initial, max, gap }: HistoryOptions) {
    this.capacity = Math.min(initial, max);
    this.#max = max;
    this.#gap = gap;
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
    return this.capacity < this.#max ? 0 : Math.max(0, this.written - this.capacity + this.#gap);
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
