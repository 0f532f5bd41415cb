import type { WakeSource } from "../../mod/cosi/mod.ts";

/** Who listens, with what changed since it last looked. */
class Listener {
  keys = new Set<string>();
  isAll = true;
}

/** What changed since the last look: keys, or everything. */
export type Changes = ReadonlySet<string> | "all";

/** A cursor of one reader over a feed. */
export interface ChangeCursor extends WakeSource {
  /** Everything at first, then what changed since the last call. */
  take(): Changes;
  /** Makes the next `take` give everything, after a failure. */
  reset(): void;
}

/** Beyond this a full look is cheaper than a look at each. */
const MAX_KEYS = 200_000;

/** Tells readers which objects changed, each key once however often it changed. */
export class ChangeFeed implements WakeSource {
  #listeners = new Set<Listener>();
  #wakes = new Set<() => void>();
  #isDirty = false;

  /** A reader of its own; it stays for the feed's life. */
  cursor(): ChangeCursor {
    const listener = new Listener();
    this.#listeners.add(listener);
    return {
      take: () => {
        const changes = listener.isAll ? "all" : listener.keys;
        listener.isAll = false;
        listener.keys = new Set();
        return changes;
      },
      reset: () => void (listener.isAll = true),
      subscribe: (wake) => this.subscribe(wake),
    };
  }

  subscribe(wake: () => void): Disposable {
    this.#wakes.add(wake);
    return { [Symbol.dispose]: () => void this.#wakes.delete(wake) };
  }

  /** Notes that an object changed; nobody is woken yet. */
  add(key: string): void {
    this.#isDirty = true;
    for (const listener of this.#listeners) {
      if (listener.isAll) continue;
      listener.keys.add(key);
      if (listener.keys.size > MAX_KEYS) this.#overflow(listener);
    }
  }

  /** Notes that anything may have changed; nobody is woken yet. */
  addAll(): void {
    this.#isDirty = true;
    for (const listener of this.#listeners) this.#overflow(listener);
  }

  /** Wakes the readers if anything was noted. */
  publish(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    for (const wake of this.#wakes) wake();
  }

  #overflow(listener: Listener): void {
    listener.isAll = true;
    listener.keys = new Set();
  }
}
