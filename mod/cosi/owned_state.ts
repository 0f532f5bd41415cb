import type { Kind, Pointer } from "./metadata.ts";
import { modify, teardownAndDestroy } from "./operations.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions } from "./state.ts";

/** Whether a new object gets the owner. */
export interface OwnedOptions {
  readonly noOwner?: boolean;
}

/** A state as one owner uses it: every write is in its name (clause 2.64). */
export class OwnedState {
  readonly owner: string;
  readonly #state: State;

  constructor(state: State, owner: string) {
    this.#state = state;
    this.owner = owner;
  }

  get(pointer: Pointer): Promise<Resource> {
    return this.#state.get(pointer);
  }

  list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
    return this.#state.list(kind, query);
  }

  create(resource: Resource, { noOwner = false }: OwnedOptions = {}): Promise<Resource> {
    return this.#state.create(resource, noOwner ? {} : { owner: this.owner });
  }

  /** The object must be running. */
  update(resource: Resource): Promise<Resource> {
    return this.#state.update(resource, { owner: this.owner });
  }

  modify(
    pointer: Pointer,
    change: (current: Resource | undefined) => Resource,
    { noOwner = false, ...options }: OwnedOptions & Omit<UpdateOptions, "owner"> = {},
  ): Promise<Resource> {
    return modify(this.#state, pointer, change, noOwner ? options : { owner: this.owner, ...options });
  }

  /** @param options another owner than this one, when it takes over. */
  teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    return this.#state.teardown(pointer, { owner: this.owner, ...options });
  }

  destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    return this.#state.destroy(pointer, { owner: this.owner, ...options });
  }

  teardownAndDestroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    return teardownAndDestroy(this.#state, pointer, { owner: this.owner, ...options });
  }
}
