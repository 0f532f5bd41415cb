import type { Kind, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";

/** What somebody wants to do (clause 2.61); `teardown` is told apart, which Go does not do (clause 9.19). */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "teardown" | "destroy";

/** Whether a verb only reads. */
export function isReadVerb(verb: Verb): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}

/** Refuses an access by throwing; the error reaches the caller as it is. The id is empty for lists and kind watches. */
export type AccessRule = (namespace: string, type: string, id: string, verb: Verb) => void;

/** A state of which a rule decides every access before it happens. */
export class FilteredState implements State {
  readonly #state: State;
  readonly #rule: AccessRule;

  constructor(state: State, rule: AccessRule) {
    this.#state = state;
    this.#rule = rule;
  }

  async get(pointer: Pointer): Promise<Resource> {
    this.#rule(pointer.namespace, pointer.type, pointer.id, "get");
    return await this.#state.get(pointer);
  }

  async list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
    this.#rule(kind.namespace, kind.type, "", "list");
    return await this.#state.list(kind, query);
  }

  async create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    const { namespace, type, id } = resource.metadata;
    this.#rule(namespace, type, id, "create");
    return await this.#state.create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    const { namespace, type, id } = resource.metadata;
    this.#rule(namespace, type, id, "update");
    return await this.#state.update(resource, options);
  }

  async destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    this.#rule(pointer.namespace, pointer.type, pointer.id, "destroy");
    await this.#state.destroy(pointer, options);
  }

  async teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    this.#rule(pointer.namespace, pointer.type, pointer.id, "teardown");
    return await this.#state.teardown(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    this.#rule(pointer.namespace, pointer.type, pointer.id, "watch");
    return await this.#state.watch(pointer, options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    this.#rule(kind.namespace, kind.type, "", "watch");
    return await this.#state.watchKind(kind, options);
  }
}
