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
  /** The watch of a mapped input broke: whom its changes would have concerned is not known. */
  missed(): void;
}

/** One input of a queue controller: turns changes into jobs, and knows primary objects, to tell what a broken watch missed. */
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
      resync: () => this.isPrimary ? void this.fill("resync", "changed") : host.missed(),
    };
  }

  get isPrimary(): boolean {
    return this.input.kind === "qPrimary";
  }

  attach(): void {
    this.feed.add(this.#dependent);
  }

  detach(): void {
    this.feed.remove(this.#dependent);
  }

  #changed(events: readonly WatchEvent[]): void {
    for (const { type, resource: { metadata } } of events) {
      if (this.isPrimary && type === "destroyed") this.#known.delete(metadata.id);
      else if (this.isPrimary) this.#known.set(metadata.id, metadata);
      this.#put(metadata, "change");
    }
  }

  #put(metadata: Metadata, reason: WakeReason): void {
    const mapped = this.isPrimary ? undefined : metadata;
    this.#host.put({ pointer: metadata, mapped, reason, objects: [metadata] });
  }

  /**
   * Puts primary objects: all, or those that are not known as they are now; and those that are gone. Repeats until
   * they can be listed (clause 3.17).
   */
  async fill(reason: "start" | "resync", which: "all" | "changed"): Promise<void> {
    const { signal } = this.#host;
    const backoff = new Backoff(this.#host.backoff);
    while (!signal.aborted) {
      try {
        this.#filled(await this.#host.list(), reason, which);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#host.failed(error);
        await pause(backoff.next(), signal);
      }
    }
  }

  #filled(resources: readonly Resource[], reason: WakeReason, which: "all" | "changed"): void {
    const gone = new Map(this.#known);
    for (const { metadata } of resources) {
      gone.delete(metadata.id);
      if (which === "changed" && this.#known.get(metadata.id) === metadata) continue; // its event came first
      this.#known.set(metadata.id, metadata);
      this.#put(metadata, reason);
    }
    for (const metadata of gone.values()) {
      this.#known.delete(metadata.id);
      this.#put(metadata, reason);
    }
  }
}
