import { Backoff, type BackoffOptions, pause } from "./backoff.ts";
import type { InputKind, QInputKind } from "./inputs.ts";
import type { KindCache } from "./kind_cache.ts";
import type { Kind } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { State, Watch, WatchEvent } from "./state.ts";

/** Who wants to be woken by a kind, and by what of it. */
export interface Dependent {
  readonly kind: InputKind | QInputKind;
  readonly id: string | undefined;
  /** Only objects of this owner. */
  readonly owner?: string;
  /** These objects changed; at least one did. */
  wake(events: readonly WatchEvent[]): void;
  /** The watch broke and was opened again: what happened in between is not known. */
  resync(): void;
}

/**
 * The one watch on a kind that all controllers share. When the watch breaks, it is opened again and everybody is woken,
 * so that nothing that happened in between stays unseen (clause 9.1).
 */
export class KindFeed {
  readonly kind: Kind;
  /** Objects of a cached kind; undefined for others. */
  readonly cache: KindCache | undefined;
  readonly #state: State;
  readonly #signal: AbortSignal;
  readonly #warn: (message: string) => void;
  readonly #backoff: Backoff;
  readonly #all = new Set<Dependent>();
  readonly #byId = new Map<string, Set<Dependent>>();
  readonly #selective = new Set<Dependent>();
  #watch: Watch | undefined;
  #opening: Promise<void> | undefined;
  #isScheduled = false;
  /** A watch broke, and dependents have not been told yet that something may have happened meanwhile. */
  #hasMissed = false;
  #isClosed = false;

  constructor(
    state: State,
    kind: Kind,
    signal: AbortSignal,
    warn: (message: string) => void,
    backoff: Partial<BackoffOptions>,
    cache?: KindCache,
  ) {
    this.kind = kind;
    this.cache = cache;
    this.#state = state;
    this.#signal = signal;
    this.#warn = warn;
    this.#backoff = new Backoff(backoff);
  }

  add(dependent: Dependent): void {
    this.#setOf(dependent).add(dependent);
  }

  remove(dependent: Dependent): void {
    const { id } = dependent;
    const set = this.#setOf(dependent);
    set.delete(dependent);
    if (id !== undefined && set.size === 0) this.#byId.delete(id);
  }

  /** Nobody wants to hear of the kind any more. */
  get isUnused(): boolean {
    return this.#all.size === 0 && this.#byId.size === 0 && this.#selective.size === 0;
  }

  #setOf({ kind, id }: Dependent): Set<Dependent> {
    if (kind === "destroyReady" || kind === "qMappedDestroyReady") return this.#selective;
    if (id === undefined) return this.#all;
    let set = this.#byId.get(id);
    if (set === undefined) this.#byId.set(id, set = new Set());
    return set;
  }

  /** Resolves once the watch is established, or its first try failed and is going to be repeated. Never rejects. */
  open(): Promise<void> {
    return this.#opening ??= this.#start();
  }

  async #start(): Promise<void> {
    this.cache?.restart();
    try {
      const watch = await this.#state.watchKind(this.kind, {
        ...(this.cache === undefined ? { bootstrapBookmark: true, metadataOnly: true } : { bootstrapContents: true }),
        coalesce: true,
        wake: () => this.#schedule(),
      });
      if (this.#signal.aborted || this.#isClosed) watch[Symbol.dispose]();
      else this.#watch = watch;
      this.#backoff.reset();
      this.#schedule();
    } catch (error) {
      this.#broken(error);
    }
  }

  /** One look at the watch for all writes of this turn. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#dispatch(this.#watch?.take() ?? []);
    });
  }

  /** The cache first, so that who is woken sees at least what woke it (clause 3.37). */
  #dispatch(taken: readonly WatchEvent[]): void {
    const events = this.cache === undefined ? taken : this.cache.apply(taken);
    let changes = events;
    for (const event of events) {
      const { type, resource, error } = event;
      if (type === "errored") this.#broken(error);
      if (type === "errored" || type === "noop" || type === "bootstrapped") {
        changes = events.filter(isChange);
        continue;
      }
      if (this.#byId.size > 0) wakeAll(this.#byId.get(resource.metadata.id), [event]);
      for (const dependent of this.#selective) if (isReady(dependent, resource)) dependent.wake([event]);
    }
    if (changes.length > 0) wakeAll(this.#all, changes);
    if (this.#hasMissed && this.#watch !== undefined && !this.cache?.isFilling) this.#tellMissed();
  }

  #tellMissed(): void {
    this.#hasMissed = false;
    const all = [...this.#all, ...this.#selective, ...[...this.#byId.values()].flatMap((set) => [...set])];
    for (const dependent of all) dependent.resync();
  }

  #broken(error: unknown): void {
    if (this.#signal.aborted || this.#isClosed) return;
    const delayMs = this.#backoff.next();
    const reason = error instanceof Error ? error.message : String(error);
    this.#warn(
      `watch of ${this.kind.type} in "${this.kind.namespace}" broke, resync in ${Math.round(delayMs)} ms: ${reason}`,
    );
    this.#drop();
    this.#hasMissed = true;
    void this.#resync(delayMs);
  }

  async #resync(delayMs: number): Promise<void> {
    await pause(delayMs, this.#signal);
    if (!this.#signal.aborted && !this.#isClosed) await this.#start();
  }

  /** Ends for good. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #drop(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}

/** The feed of a cached kind. */
export type CachedFeed = KindFeed & { readonly cache: KindCache };

export function isCached(feed: KindFeed): feed is CachedFeed {
  return feed.cache !== undefined;
}

function wakeAll(dependents: Iterable<Dependent> | undefined, events: readonly WatchEvent[]): void {
  if (dependents !== undefined) { for (const dependent of dependents) dependent.wake(events); }
}

function isChange({ type }: WatchEvent): boolean {
  return type === "created" || type === "updated" || type === "destroyed";
}

/** An object whose end was asked for and that nobody holds. */
function isReady({ id, owner }: Dependent, { metadata }: Resource): boolean {
  return metadata.phase === "tearingDown" && metadata.finalizers.length === 0 &&
    (id === undefined || id === metadata.id) && (owner === undefined || owner === metadata.owner);
}
