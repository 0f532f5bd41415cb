import { Backoff, type BackoffOptions, pause } from "./backoff.ts";
import type { QInput } from "./inputs.ts";
import type { Dependent, KindFeed } from "./kind_feed.ts";
import type { Metadata, Pointer } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { WatchEvent } from "./state.ts";
import type { WakeReason } from "./write_cause.ts";

/** One piece of work of a queue controller: to reconcile an object, or to map a changed one. */
export interface QJob {
  readonly pointer: Pointer;
  /** The object to map, in its last state; undefined when `pointer` is to be reconciled. */
  readonly mapped: Metadata | undefined;
  readonly reason: WakeReason;
  /** The changed object that it is about. */
  readonly objects: readonly Metadata[];
}

/** What an input needs of its controller's runner. */
export interface QInputHost {
  readonly signal: AbortSignal;
  readonly backoff: Partial<BackoffOptions>;
  list(): Promise<readonly Resource[]>;
  put(job: QJob): void;
  failed(error: unknown): void;
}

/** One input of a queue controller: turns changes into jobs, and knows its objects, to tell what a broken watch missed. */
export class QInputFeed {
  readonly input: QInput;
  readonly feed: KindFeed;
  readonly #host: QInputHost;
  readonly #dependent: Dependent;
  readonly #known = new Map<string, Metadata>();

  constructor(input: QInput, feed: KindFeed, host: QInputHost) {
    const { kind, id } = input;
    this.input = input;
    this.feed = feed;
    this.#host = host;
    this.#dependent = {
      ...{ kind, id },
      wake: (events) => this.#changed(events),
      resync: () => void this.fill("resync"),
    };
  }

  attach(): void {
    this.feed.add(this.#dependent);
  }

  detach(): void {
    this.feed.remove(this.#dependent);
  }

  #changed(events: readonly WatchEvent[]): void {
    for (const { type, resource: { metadata } } of events) {
      if (type === "destroyed") this.#known.delete(metadata.id);
      else this.#known.set(metadata.id, metadata);
      this.#put(metadata, "change");
    }
  }

  #put(metadata: Metadata, reason: WakeReason): void {
    const mapped = this.input.kind === "qPrimary" ? undefined : metadata;
    this.#host.put({ pointer: metadata, mapped, reason, objects: [metadata] });
  }

  /** Puts all objects that there are, and those that are gone since; repeats until they can be listed (clause 3.17). */
  async fill(reason: "start" | "resync"): Promise<void> {
    const { signal } = this.#host;
    const backoff = new Backoff(this.#host.backoff);
    while (!signal.aborted) {
      try {
        this.#filled(await this.#host.list(), reason);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#host.failed(error);
        await pause(backoff.next(), signal);
      }
    }
  }

  #filled(resources: readonly Resource[], reason: WakeReason): void {
    const { id, kind } = this.input;
    const gone = new Map(this.#known);
    for (const { metadata } of resources) {
      if (id !== undefined && metadata.id !== id) continue;
      gone.delete(metadata.id);
      if (this.#known.get(metadata.id) === metadata) continue; // its event came first
      this.#known.set(metadata.id, metadata);
      const isReady = metadata.phase === "tearingDown" && metadata.finalizers.length === 0;
      if (kind !== "qMappedDestroyReady" || isReady) this.#put(metadata, reason);
    }
    if (kind === "qMappedDestroyReady") return;
    for (const metadata of gone.values()) {
      this.#known.delete(metadata.id);
      this.#put(metadata, reason);
    }
  }
}
