import { UnsupportedError } from "./errors.ts";
import type { Kind, Pointer } from "./metadata.ts";
import { hasHistory, type HistoryState, type ObjectVersion } from "./object_history.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";

/**
 * Several states as one, such as a namespace on disk and all others in memory (clause 2.40). The choice is made once
 * for each namespace and type, when it is first used.
 */
export class NamespacedState implements HistoryState {
  readonly #choose: (kind: Kind) => State;
  readonly #chosen = new Map<string, Map<string, State>>();

  constructor(choose: (kind: Kind) => State) {
    this.#choose = choose;
  }

  #of({ namespace, type }: Kind): State {
    let types = this.#chosen.get(namespace);
    if (types === undefined) this.#chosen.set(namespace, types = new Map());
    let state = types.get(type);
    if (state === undefined) types.set(type, state = this.#choose({ namespace, type }));
    return state;
  }

  async get(pointer: Pointer): Promise<Resource> {
    return await this.#of(pointer).get(pointer);
  }

  async list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
    return await this.#of(kind).list(kind, query);
  }

  async create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    return await this.#of(resource.metadata).create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return await this.#of(resource.metadata).update(resource, options);
  }

  async destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    await this.#of(pointer).destroy(pointer, options);
  }

  async teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    return await this.#of(pointer).teardown(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    return await this.#of(pointer).watch(pointer, options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    return await this.#of(kind).watchKind(kind, options);
  }

  /** @throws {UnsupportedError} when the chosen state keeps no history. */
  async history(pointer: Pointer, limit: number): Promise<readonly ObjectVersion[]> {
    const state = this.#of(pointer);
    if (!hasHistory(state)) throw new UnsupportedError(`Cannot tell the history of ${pointer.type}: none is kept`);
    return await state.history(pointer, limit);
  }
}
