import { ConflictError, NotFoundError } from "./errors.ts";
import type { Pointer } from "./metadata.ts";
import { changeMetadata } from "./metadata_edit.ts";
import { isResourceEqual, type Resource, withMetadata } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions } from "./state.ts";
import { checkPhase, createdVersion, destroyedVersion, ownedVersion, updatedVersion } from "./write_rules.ts";

/** One write that was checked: what is stored after it, or was before the end. */
export interface Change {
  readonly type: "created" | "updated" | "destroyed";
  readonly resource: Resource;
  /** The object before an update. */
  readonly old: Resource | undefined;
}

/**
 * Several writes as one step: all of them happen, or none, and nobody sees a part of them. Reads see the writes made
 * so far. Rules and errors as in {@link State}; nothing may be called after the work has returned.
 */
export interface Transaction {
  find(pointer: Pointer): Resource | undefined;
  /** @throws {NotFoundError} */
  get(pointer: Pointer): Resource;
  create(resource: Resource, options?: OwnerOption): Resource;
  update(resource: Resource, options?: UpdateOptions): Resource;
  /** Clause 2.18; a change to something equal writes nothing. */
  modify(pointer: Pointer, change: (current: Resource | undefined) => Resource, options?: UpdateOptions): Resource;
  destroy(pointer: Pointer, options?: OwnerOption): void;
  teardown(pointer: Pointer, options?: OwnerOption): boolean;
}

/** A state that takes several writes as one. */
export interface TransactionalState extends State {
  /**
   * Runs the work, which must not wait for anything, and stores what it wrote. The events come in the order of the
   * writes with nothing in between. @throws what the work throws; then nothing was written.
   */
  transact<T>(work: (transaction: Transaction) => T): Promise<T>;
}

export function isTransactional(state: State): state is TransactionalState {
  return "transact" in state;
}

/** Looks up what is stored. */
export type Find = (namespace: string, type: string, id: string) => Resource | undefined;

/** Writes that were checked but not stored, on top of what is stored. */
export class Draft implements Transaction {
  readonly changes: Change[] = [];
  readonly #base: Find;
  readonly #latest = new Map<string, Resource | undefined>();
  #isOver = false;

  constructor(base: Find) {
    this.#base = base;
  }

  /** Runs the work of a transaction. @throws what it throws. {@link TypeError} when it is asynchronous. */
  run<T>(work: (transaction: Transaction) => T): T {
    try {
      const result = work(this);
      if (result instanceof Promise) throw new TypeError("Cannot run a transaction: its work waits for something");
      return result;
    } finally {
      this.#isOver = true;
    }
  }

  /** Takes over what another draft on top of this one wrote. */
  accept(changes: readonly Change[]): void {
    for (const change of changes) this.#write(change);
  }

  readonly lookup: Find = (namespace, type, id) => {
    const key = keyOf(namespace, type, id);
    return this.#latest.has(key) ? this.#latest.get(key) : this.#base(namespace, type, id);
  };

  find({ namespace, type, id }: Pointer): Resource | undefined {
    if (this.#isOver) throw new TypeError("Cannot use a transaction: its work has returned");
    return this.lookup(namespace, type, id);
  }

  get(pointer: Pointer): Resource {
    const found = this.find(pointer);
    if (found === undefined) throw new NotFoundError(pointer);
    return found;
  }

  create(resource: Resource, { owner = "" }: OwnerOption = {}): Resource {
    const stored = createdVersion(this.find(resource.metadata), resource, owner);
    return this.#write({ type: "created", resource: stored, old: undefined });
  }

  update(resource: Resource, options: UpdateOptions = {}): Resource {
    const old = this.find(resource.metadata);
    return this.#write({ type: "updated", resource: updatedVersion(old, resource, options), old });
  }

  modify(
    pointer: Pointer,
    change: (current: Resource | undefined) => Resource,
    options: UpdateOptions = {},
  ): Resource {
    const current = this.find(pointer);
    if (current === undefined) return this.create(change(undefined), options);
    checkPhase(current.metadata, options.expectedPhase ?? "running");
    const wanted = change(current);
    return isResourceEqual(current, wanted) ? current : this.update(wanted, options);
  }

  destroy(pointer: Pointer, { owner = "" }: OwnerOption = {}): void {
    this.#write({ type: "destroyed", resource: destroyedVersion(this.find(pointer), pointer, owner), old: undefined });
  }

  teardown(pointer: Pointer, { owner = "" }: OwnerOption = {}): boolean {
    const resource = ownedVersion(this.find(pointer), pointer, owner);
    const { metadata } = resource;
    if (metadata.phase === "running") {
      this.update(withMetadata(resource, changeMetadata(metadata, { phase: "tearingDown" })), { owner });
    }
    return metadata.finalizers.length === 0;
  }

  #write(change: Change): Resource {
    const { namespace, type, id } = change.resource.metadata;
    this.#latest.set(keyOf(namespace, type, id), change.type === "destroyed" ? undefined : change.resource);
    this.changes.push(change);
    return change.resource;
  }
}

/**
 * Makes sure that changes still fit what is stored: the work of a transaction may have written past it.
 * @throws {ConflictError}
 */
export function checkBase(changes: readonly Change[], find: Find): void {
  const seen = new Set<string>();
  for (const { type, resource, old } of changes) {
    const { namespace, type: kind, id } = resource.metadata;
    const key = keyOf(namespace, kind, id);
    if (seen.has(key)) continue;
    seen.add(key);
    const base = type === "updated" ? old : type === "destroyed" ? resource : undefined;
    if (find(namespace, kind, id) === base) continue;
    throw new ConflictError(resource.metadata, "version", "it was written while the transaction ran, outside of it");
  }
}

/** One text for the three names, whatever characters they hold. */
function keyOf(namespace: string, type: string, id: string): string {
  return `${namespace.length} ${type.length} ${namespace}${type}${id}`;
}
