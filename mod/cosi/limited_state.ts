import { pause } from "./backoff.ts";
import type { Kind, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";

/** How many writes a controller may make (clause 3.41). */
export interface RateLimit {
  readonly perSecond: number;
  /** Writes that may come at once after a quiet time. */
  readonly burst: number;
}

/** A state whose writes wait for a token; reads do not. A write that changes nothing needs none. */
export class LimitedState implements State {
  readonly #state: State;
  readonly #limit: RateLimit;
  readonly #signal: AbortSignal;
  /** When the bucket would be full if nothing else came, as of `performance.now()`. */
  #fullAt = 0;

  constructor(state: State, limit: RateLimit, signal: AbortSignal) {
    this.#state = state;
    this.#limit = limit;
    this.#signal = signal;
  }

  /** Takes a token; who comes first gets the earlier one. @throws the reason of the signal once that is aborted. */
  async #token(): Promise<void> {
    const { perSecond, burst } = this.#limit;
    const now = performance.now(), costMs = 1000 / perSecond;
    this.#fullAt = Math.max(this.#fullAt, now) + costMs;
    const waitMs = this.#fullAt - now - burst * costMs;
    if (waitMs > 0) await pause(waitMs, this.#signal);
    this.#signal.throwIfAborted();
  }

  get(pointer: Pointer): Promise<Resource> {
    return this.#state.get(pointer);
  }

  list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
    return this.#state.list(kind, query);
  }

  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    return this.#state.watch(pointer, options);
  }

  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    return this.#state.watchKind(kind, options);
  }

  async create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    await this.#token();
    return await this.#state.create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    await this.#token();
    return await this.#state.update(resource, options);
  }

  async destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    await this.#token();
    await this.#state.destroy(pointer, options);
  }

  async teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    await this.#token();
    return await this.#state.teardown(pointer, options);
  }
}
