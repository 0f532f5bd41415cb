import type { CachedFeed, Dependent } from "./kind_feed.ts";
import type { Pointer } from "./metadata.ts";
import { isAnotherLife } from "./metadata_edit.ts";

/** Signals that tell a controller of the end of objects: one an object, however often it is asked for. */
export class TeardownSignals {
  readonly #signals = new Map<string, Promise<AbortSignal>>();

  /** The signal of an object, made by `open` unless there is one that has not been aborted. */
  of({ namespace, type, id }: Pointer, open: () => Promise<AbortSignal>): Promise<AbortSignal> {
    const key = JSON.stringify([namespace, type, id]);
    let signal = this.#signals.get(key);
    if (signal === undefined) this.#signals.set(key, signal = this.#keep(key, open));
    return signal;
  }

  async #keep(key: string, open: () => Promise<AbortSignal>): Promise<AbortSignal> {
    const forget = () => void this.#signals.delete(key);
    try {
      const signal = await open();
      if (signal.aborted) forget();
      else signal.addEventListener("abort", forget, { once: true });
      return signal;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** As `teardownSignal`, of an object of a cached kind, whose feed has it all (clause 3.40). */
export function cachedTeardownSignal(feed: CachedFeed, id: string, signal: AbortSignal): AbortSignal {
  const ended = new AbortController();
  const stop = () => finish(signal.reason);
  let known = feed.cache.get(id)?.metadata;
  const follow = () => {
    const now = feed.cache.get(id)?.metadata;
    if (known === undefined || now?.phase !== "running" || isAnotherLife(known, now)) finish();
    known = now;
  };
  const dependent: Dependent = { kind: "weak", id, wake: follow, resync: follow };
  function finish(reason?: unknown): void {
    feed.remove(dependent);
    signal.removeEventListener("abort", stop);
    ended.abort(reason);
  }
  feed.add(dependent);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  else follow();
  return ended.signal;
}
