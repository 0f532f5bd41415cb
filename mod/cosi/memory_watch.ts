import type { Collection } from "./collection.ts";
import { OverrunError } from "./errors.ts";
import { Coalescer, filterEvent, MemoryEvent } from "./memory_event.ts";
import { tombstoneMetadata } from "./metadata_edit.ts";
import type { Match } from "./query_match.ts";
import { makeResource } from "./resource.ts";
import type { Watch, WatchEvent } from "./state.ts";

/** How a watch on a collection starts. */
export interface MemoryWatchStart {
  /** One object, or undefined for all. */
  readonly id?: string | undefined;
  readonly match?: Match | undefined;
  readonly coalesce?: boolean | undefined;
  readonly wake?: (() => void) | undefined;
  /** Events before the live ones. */
  readonly first: readonly WatchEvent[];
  /** Position of the first live event. */
  readonly position: number;
  /** What a reader gets that fell behind; without it, it gets an error. */
  readonly resync?: ((reason: Error) => readonly WatchEvent[]) | undefined;
}

type Batch = IteratorResult<readonly WatchEvent[], undefined>;
const NONE: readonly WatchEvent[] = Object.freeze([]);
const END = { done: true, value: undefined } as const;

/**
 * A reader of a collection's history. It holds a position, not a queue, so a reader that never reads costs nothing;
 * one that falls behind by more than the history gets an error, unless it coalesces.
 */
export class MemoryWatch implements Watch {
  readonly id: string | undefined;
  readonly coalesce: boolean;
  /** Position of the next event to read. */
  position: number;
  /** The turn in which it was last served. */
  turn = -1;

  readonly #collection: Collection;
  readonly #match: Match | undefined;
  readonly #wake: (() => void) | undefined;
  readonly #changes: Coalescer | undefined;
  readonly #resync: MemoryWatchStart["resync"];
  #first: readonly WatchEvent[];
  #failure: Error | undefined;
  #idle = false;
  #closed = false;
  #resume: (() => void) | undefined;

  constructor(collection: Collection, start: MemoryWatchStart) {
    this.id = start.id;
    this.coalesce = start.coalesce ?? false;
    this.position = start.position;
    this.#collection = collection;
    this.#match = start.match;
    this.#wake = start.wake;
    this.#changes = this.coalesce ? new Coalescer(start.match) : undefined;
    this.#first = start.first;
    this.#resync = start.resync;
    if (start.first.length === 0 && start.position === collection.history.written) this.#rest();
    else if (this.coalesce) collection.guard(this);
  }

  /** Whether nothing is pending and it waits for the next event. */
  get isIdle(): boolean {
    return this.#idle;
  }

  take(): readonly WatchEvent[] {
    if (this.#closed || this.#idle) return NONE;
    if (this.#failure !== undefined) return [this.#fail(this.#failure)];
    const live = this.#changes === undefined ? this.#read() : this.#coalesced(this.#changes);
    const first = this.#first;
    this.#first = NONE;
    if (!this.#closed) this.#rest();
    if (first.length === 0) return live;
    return live.length === 0 ? first : [...first, ...live];
  }

  #read(): readonly WatchEvent[] {
    const { history } = this.#collection;
    const { position } = this;
    this.position = history.written;
    if (!history.has(position)) {
      const reason = new OverrunError(this.#overrunText(position));
      return this.#resync?.(reason) ?? [this.#fail(reason)];
    }
    const events = history.since(position);
    if (this.id === undefined && this.#match === undefined) return events;
    const seen: WatchEvent[] = [];
    for (const event of events) {
      if (this.id !== undefined && event.resource.metadata.id !== this.id) continue;
      const view = filterEvent(event, this.#match);
      if (view !== undefined) seen.push(view);
    }
    return seen;
  }

  #overrunText(position: number): string {
    const { kind, history } = this.#collection;
    return `Cannot follow ${kind.type} in namespace "${kind.namespace}": the reader is at ${position}, the writer at ` +
      `${history.written}, history holds ${history.capacity}`;
  }

  #coalesced(changes: Coalescer): readonly WatchEvent[] {
    this.fold();
    return changes.drain();
  }

  /** Moves what is pending out of the history, before it goes there. */
  fold(): void {
    const { history } = this.#collection;
    for (const event of history.since(this.position)) {
      if (this.id === undefined || event.resource.metadata.id === this.id) this.#changes?.add(event);
    }
    this.position = history.written;
  }

  #fail(error: Error): MemoryEvent {
    const tombstone = makeResource(tombstoneMetadata(this.#collection.kind, this.id ?? ""), {});
    this[Symbol.dispose]();
    return new MemoryEvent("errored", tombstone, undefined, undefined, -1, error);
  }

  #rest(): void {
    this.#idle = true;
    this.#collection.rest(this);
  }

  /** A new event while nothing was pending; answers whether it is of concern. */
  offer(event: MemoryEvent): boolean {
    if (event.position < this.position) return false;
    if (!this.coalesce && filterEvent(event, this.#match) === undefined) return false;
    this.#idle = false;
    this.position = event.position;
    if (this.coalesce) this.#collection.guard(this);
    if (this.#resume !== undefined && !this.#collection.defers(this)) this.resume();
    try {
      this.#wake?.();
    } catch (error) {
      // The writer must not fail for its reader's fault: the reader learns of it when it takes.
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    return true;
  }

  /** Lets the waiting reader go on. */
  resume(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly WatchEvent[], undefined, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this[Symbol.dispose]();
        return Promise.resolve(END);
      },
    };
  }

  /** By hand and not as a generator, which costs three promises a batch. */
  #next(): Promise<Batch> {
    if (!this.#closed && (this.#idle || this.#first.length === 0 && this.#collection.defers(this))) return this.#wait();
    return this.#serve();
  }

  #wait(): Promise<Batch> {
    return new Promise<void>((resolve) => this.#resume = resolve).then(() => this.#serve());
  }

  #serve(): Promise<Batch> {
    const value = this.take();
    if (value.length > 0) return Promise.resolve({ done: false, value });
    return this.#closed ? Promise.resolve(END) : this.#wait();
  }

  [Symbol.dispose](): void {
    if (this.#closed) return;
    const wasIdle = this.#idle;
    this.#closed = true;
    this.#idle = false;
    this.#first = NONE;
    this.#collection.forget(this, wasIdle);
    this.resume();
  }
}
