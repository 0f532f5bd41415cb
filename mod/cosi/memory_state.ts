import { type BookmarkOrigin, Bookmarks, processOrigin } from "./bookmark.ts";
import { Collection } from "./collection.ts";
import { NotFoundError } from "./errors.ts";
import type { HistoryOptions } from "./history.ts";
import type { KeptCollection } from "./kept_collection.ts";
import type { Kind, Metadata, Pointer } from "./metadata.ts";
import { changeMetadata, withFinalizer, withoutFinalizer } from "./metadata_edit.ts";
import { openKindWatch, openWatch } from "./memory_watch_start.ts";
import type { Query } from "./query.ts";
import { compileQuery, lacksPatterns, loadPatterns } from "./query_match.ts";
import { isResourceEqual, type Resource, withMetadata } from "./resource.ts";
import type { OwnerOption, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";
import type { SyncState } from "./sync_state.ts";
import { type Change, checkBase, Draft, type Find, type Transaction, type TransactionalState } from "./transaction.ts";
import type { HistoryState, ObjectVersion } from "./object_history.ts";
import { WakeTurn } from "./wake_turn.ts";
import { checkPhase, createdVersion, destroyedVersion, ownedVersion, updatedVersion } from "./write_rules.ts";

const EMPTY: readonly Resource[] = Object.freeze([]);
const HISTORY: HistoryOptions = { initial: 8, max: 1024, gap: 4 };

interface Held {
  readonly collection: Collection;
  readonly bookmarks: Bookmarks;
}

/** A state in this process's memory. Each operation happens within the call; the promise is only its envelope. */
export class MemoryState implements SyncState, TransactionalState, HistoryState {
  readonly #history: HistoryOptions;
  readonly #origin: BookmarkOrigin;
  readonly #turn = new WakeTurn();
  readonly #namespaces = new Map<string, Map<string, Held>>();

  constructor(history: Partial<HistoryOptions> = {}, origin: BookmarkOrigin = processOrigin()) {
    this.#origin = origin;
    const { initial, max, gap } = this.#history = { ...HISTORY, ...history };
    if (!(initial >= 1 && max >= 1 && gap >= 0 && gap < max)) {
      throw new RangeError(`Cannot make a state: history of ${initial} to ${max} events with a gap of ${gap}`);
    }
  }

  get(pointer: Pointer): Promise<Resource> {
    const found = this.findNow(pointer.namespace, pointer.type, pointer.id);
    return found === undefined ? Promise.reject(new NotFoundError(pointer)) : Promise.resolve(found);
  }

  list(kind: Kind, query: Query = {}): Promise<readonly Resource[]> {
    if (lacksPatterns(query)) return loadPatterns(query).then(() => this.listNow(kind, query));
    return answer(() => this.listNow(kind, query));
  }

  // Written out and not through `answer`: these are called a million times a second.
  create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    try {
      return Promise.resolve(this.createNow(resource, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    try {
      return Promise.resolve(this.updateNow(resource, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    return answer(() => this.destroyNow(pointer, options));
  }

  teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    return answer(() => this.teardownNow(pointer, options));
  }

  watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch> {
    return answer(() => this.watchNow(pointer, options));
  }

  watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch> {
    if (lacksPatterns(options)) return loadPatterns(options).then(() => this.watchKindNow(kind, options));
    return answer(() => this.watchKindNow(kind, options));
  }

  findNow(namespace: string, type: string, id: string): Resource | undefined {
    return this.#namespaces.get(namespace)?.get(type)?.collection.cells.get(id)?.resource;
  }

  getNow(pointer: Pointer): Resource {
    const found = this.findNow(pointer.namespace, pointer.type, pointer.id);
    if (found === undefined) throw new NotFoundError(pointer);
    return found;
  }

  listNow(kind: Kind, query: Query = {}): readonly Resource[] {
    const match = compileQuery(query);
    const all = this.#namespaces.get(kind.namespace)?.get(kind.type)?.collection.list() ?? EMPTY;
    if (match === undefined) return all;
    const found: Resource[] = [];
    for (const resource of all) if (match(resource)) found.push(resource);
    return Object.freeze(found);
  }

  createNow(resource: Resource, { owner = "" }: OwnerOption = {}): Resource {
    const { collection } = this.#held(resource.metadata);
    const stored = createdVersion(collection.cells.get(resource.metadata.id)?.resource, resource, owner);
    collection.add(stored);
    return stored;
  }

  updateNow(resource: Resource, options: UpdateOptions = {}): Resource {
    const { metadata } = resource;
    const collection = this.#namespaces.get(metadata.namespace)?.get(metadata.type)?.collection;
    const cell = collection?.cells.get(metadata.id);
    const stored = updatedVersion(cell?.resource, resource, options);
    if (cell !== undefined) collection?.replace(cell, stored);
    return stored;
  }

  modifyNow(
    pointer: Pointer,
    change: (current: Resource | undefined) => Resource,
    options: UpdateOptions = {},
  ): Resource {
    const current = this.findNow(pointer.namespace, pointer.type, pointer.id);
    if (current === undefined) return this.createNow(change(undefined), options);
    checkPhase(current.metadata, options.expectedPhase ?? "running");
    const wanted = change(current);
    return isResourceEqual(current, wanted) ? current : this.updateNow(wanted, options);
  }

  destroyNow(pointer: Pointer, { owner = "" }: OwnerOption = {}): void {
    const collection = this.#namespaces.get(pointer.namespace)?.get(pointer.type)?.collection;
    const cell = collection?.cells.get(pointer.id);
    const resource = destroyedVersion(cell?.resource, pointer, owner);
    if (cell !== undefined) collection?.remove(cell, resource);
  }

  teardownNow(pointer: Pointer, { owner = "" }: OwnerOption = {}): boolean {
    const resource = ownedVersion(this.findNow(pointer.namespace, pointer.type, pointer.id), pointer, owner);
    const { metadata } = resource;
    if (metadata.phase === "running") {
      this.updateNow(withMetadata(resource, changeMetadata(metadata, { phase: "tearingDown" })), { owner });
    }
    return metadata.finalizers.length === 0;
  }

  /** Clause 2.20: under the object's own owner and in any phase. @throws {NotFoundError} */
  addFinalizerNow(pointer: Pointer, name: string): void {
    this.#changeFinalizers(pointer, (metadata) => withFinalizer(metadata, name));
  }

  /** @throws {NotFoundError} */
  removeFinalizerNow(pointer: Pointer, name: string): void {
    this.#changeFinalizers(pointer, (metadata) => withoutFinalizer(metadata, name));
  }

  #changeFinalizers(pointer: Pointer, change: (metadata: Metadata) => Metadata): void {
    const resource = this.getNow(pointer);
    const { owner } = resource.metadata;
    const metadata = change(resource.metadata);
    if (metadata === resource.metadata) return;
    this.updateNow(withMetadata(resource, metadata), { owner, expectedPhase: "any" });
  }

  transact<T>(work: (transaction: Transaction) => T): Promise<T> {
    return answer(() => this.transactNow(work));
  }

  /** As {@link TransactionalState.transact}, within the call. */
  transactNow<T>(work: (transaction: Transaction) => T): T {
    const find: Find = (namespace, type, id) => this.findNow(namespace, type, id);
    const draft = new Draft(find);
    const result = draft.run(work);
    checkBase(draft.changes, find);
    this.applyNow(draft.changes);
    return result;
  }

  /** Stores changes that were checked against what is stored now; readers are woken after the last one. */
  applyNow(changes: readonly Change[]): void {
    const held = new Map<Collection, boolean>();
    for (const { resource } of changes) {
      const { collection } = this.#held(resource.metadata);
      if (!held.has(collection)) held.set(collection, collection.hold());
    }
    for (const change of changes) this.#held(change.resource.metadata).collection.apply(change);
    for (const [collection, isFirst] of held) if (isFirst) collection.release();
  }

  /** Fills a collection that nobody has used yet with what was kept of it. */
  restoreNow(kind: Kind, kept: KeptCollection): void {
    const { collection, bookmarks } = this.#held(kind);
    collection.restore(kept, bookmarks);
  }

  /** Position of the event that made the current version of an object; -1 when there is none. */
  positionOf({ namespace, type, id }: Pointer): number {
    return this.#namespaces.get(namespace)?.get(type)?.collection.cells.get(id)?.position ?? -1;
  }

  history(pointer: Pointer, limit: number): Promise<readonly ObjectVersion[]> {
    const collection = this.#namespaces.get(pointer.namespace)?.get(pointer.type)?.collection;
    return Promise.resolve(collection?.versions(pointer.id, limit) ?? []);
  }

  watchNow(pointer: Pointer, options: WatchOptions = {}): Watch {
    const { collection, bookmarks } = this.#held(pointer);
    return openWatch(collection, bookmarks, pointer, options);
  }

  watchKindNow(kind: Kind, options: WatchKindOptions = {}): Watch {
    const { collection, bookmarks } = this.#held(kind);
    return openKindWatch(collection, bookmarks, options);
  }

  #held({ namespace, type }: Kind): Held {
    let types = this.#namespaces.get(namespace);
    if (types === undefined) this.#namespaces.set(namespace, types = new Map());
    let held = types.get(type);
    if (held === undefined) {
      const bookmarks = new Bookmarks(this.#origin.cookie, this.#origin.tagOf({ namespace, type }));
      held = { bookmarks, collection: new Collection({ namespace, type }, bookmarks, this.#turn, this.#history) };
      types.set(type, held);
    }
    return held;
  }
}

function answer<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}
