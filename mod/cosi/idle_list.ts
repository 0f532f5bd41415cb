import type { MemoryEvent } from "./memory_event.ts";
import type { MemoryWatch } from "./memory_watch.ts";

/** A list up to this long is swept at each closing; a longer one when half of it is closed. */
const SHORT = 64;

/**
 * Watches with nothing pending, which have to hear of the next event. A plain list: a set pays for every watch that
 * leaves and comes back, which is what all of them do at each batch.
 */
export class IdleList {
  #watches: MemoryWatch[] = [];
  #stale = 0;

  get size(): number {
    return this.#watches.length;
  }

  add(watch: MemoryWatch): void {
    this.#watches.push(watch);
  }

  /** Tells of a listed watch that was closed. */
  closed(): void {
    this.#stale++;
    if (this.#watches.length > SHORT && this.#stale * 2 < this.#watches.length) return;
    this.#watches = this.#watches.filter((watch) => watch.isIdle);
    this.#stale = 0;
  }

  /** Offers an event; who takes it is not listed any more. */
  offer(event: MemoryEvent): void {
    const watches = this.#watches;
    if (watches.length === 0) return;
    this.#watches = [];
    this.#stale = 0;
    for (const watch of watches) if (watch.isIdle && !watch.offer(event)) this.#watches.push(watch);
  }
}
