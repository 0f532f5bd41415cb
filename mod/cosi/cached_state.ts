import { NotFoundError } from "./errors.ts";
import type { CachedFeed } from "./kind_feed.ts";
import type { Kind, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";

/** A state that answers get and list of cached kinds from memory. */
export class CachedState implements State {
  readonly #state: State;
  readonly #feedOf: (kind: Kind) => CachedFeed | undefined;
  readonly #signal: AbortSignal;

  constructor(state: State, feedOf: (kind: Kind) => CachedFeed | undefined, signal: AbortSignal) {
    this.#state = state;
    this.#feedOf = feedOf;
    this.#signal = signal;
  }

  async get(pointer: Pointer): Promise<Resource> {
    const feed = this.#feedOf(pointer);
    if (feed === undefined) return await this.#state.get(pointer);
    await feed.open();
    await feed.cache.ready(this.#signal);
    if (feed.cache.isBehind(pointer.id)) return await this.#state.get(pointer);
    const found = feed.cache.get(pointer.id);
    if (found === undefined) throw new NotFoundError(pointer);
    return found;
  }

  async list(kind: Kind, query: Query = {}): Promise<readonly Resource[]> {
    const feed = this.#feedOf(kind);
    if (feed === undefined) return await this.#state.list(kind, query);
    await feed.open();
    await feed.cache.ready(this.#signal);
    return await feed.cache.list(query, this.#signal, () => this.#state.list(kind));
  }

  async create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    return this.#wrote(await this.#state.create(resource, options));
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return this.#wrote(await this.#state.update(resource, options));
  }

  #wrote(stored: Resource): Resource {
    this.#feedOf(stored.metadata)?.cache.wrote(stored.metadata, stored.metadata);
    return stored;
  }

  async destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    await this.#state.destroy(pointer, options);
    this.#feedOf(pointer)?.cache.wrote(pointer, undefined);
  }

  async teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    const isReady = await this.#state.teardown(pointer, options);
    this.#feedOf(pointer)?.cache.toreDown(pointer);
    return isReady;
  }

  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    return this.#state.watch(pointer, options);
  }

  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    return this.#state.watchKind(kind, options);
  }
}
