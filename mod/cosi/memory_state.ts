import { type Cell, Collection } from "./collection.ts";
import { Bookmarks } from "./bookmark.ts";
import { ConflictError, NotFoundError, OwnerConflictError, PhaseConflictError } from "./errors.ts";
import type { HistoryOptions } from "./history.ts";
import type { Kind, Metadata, Phase, Pointer } from "./metadata.ts";
import { changeMetadata, formatVersion, makeMetadata, withFinalizer, withoutFinalizer } from "./metadata_edit.ts";
import { openKindWatch, openWatch } from "./memory_watch_start.ts";
import type { Query } from "./query.ts";
import { compileQuery } from "./query_match.ts";
import { isResourceEqual, makeResource, type Resource, withMetadata } from "./resource.ts";
import type { OwnerOption, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";
import type { SyncState } from "./sync_state.ts";
import { timestampNow } from "./timestamp.ts";
import { WakeTurn } from "./wake_turn.ts";

const EMPTY: readonly Resource[] = Object.freeze([]);
const HISTORY: HistoryOptions = { initial: 8, max: 1024, gap: 4 };

interface Held {
  readonly collection: Collection;
  readonly bookmarks: Bookmarks;
}

/** A state in this process's memory. Each operation happens within the call; the promise is only its envelope. */
export class MemoryState implements SyncState {
  readonly #history: HistoryOptions;
  readonly #cookie = crypto.getRandomValues(new Uint8Array(8));
  readonly #turn = new WakeTurn();
  readonly #namespaces = new Map<string, Map<string, Held>>();
  #tag = 0;

  constructor(history: Partial<HistoryOptions> = {}) {
    const { initial, max, gap } = this.#history = { ...HISTORY, ...history };
    if (!(initial >= 1 && max >= 1 && gap >= 0 && gap < max)) {
      throw new RangeError(`Cannot make a state: history of ${initial} to ${max} events with a gap of ${gap}`);
    }
  }

  get(pointer: Pointer): Promise<Resource> {
    const found = this.findNow(pointer.namespace, pointer.type, pointer.id);
    return found === undefined ? Promise.reject(new NotFoundError(pointer)) : Promise.resolve(found);
  }

  list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
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
    const { metadata } = resource;
    if (metadata.owner !== "" && metadata.owner !== owner) {
      throw new TypeError(
        `Cannot create ${metadata.type}(${metadata.namespace}/${metadata.id}): owner is already set to "${metadata.owner}"`,
      );
    }
    const { collection } = this.#held(metadata);
    if (collection.cells.has(metadata.id)) throw new ConflictError(metadata, "exists", "it already exists");
    const now = timestampNow();
    const stored = makeResource(stamp(metadata, 1n, owner, now, now), resource.spec);
    collection.add(stored);
    return stored;
  }

  updateNow(resource: Resource, { owner = "", expectedPhase = "running" }: UpdateOptions = {}): Resource {
    const { metadata } = resource;
    const collection = this.#namespaces.get(metadata.namespace)?.get(metadata.type)?.collection;
    const cell = collection?.cells.get(metadata.id);
    const old = cell?.resource?.metadata;
    if (collection === undefined || cell === undefined || old === undefined) throw new NotFoundError(metadata);
    if (old.owner !== owner) throw new OwnerConflictError(metadata, old.owner);
    if (old.version !== metadata.version || old.version === undefined) {
      throw new ConflictError(metadata, "version", versionText(metadata.version, old.version));
    }
    checkPhase(old, expectedPhase);
    const stored = makeResource(stamp(metadata, old.version + 1n, owner, old.created, timestampNow()), resource.spec);
    collection.replace(cell, stored);
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
    const { collection, cell, resource } = this.#owned(pointer, owner);
    const { finalizers } = resource.metadata;
    if (finalizers.length > 0) {
      throw new ConflictError(pointer, "finalizers", `it is still held by ${finalizers.join(", ")}`);
    }
    collection.remove(cell, resource);
  }

  teardownNow(pointer: Pointer, { owner = "" }: OwnerOption = {}): boolean {
    const { resource } = this.#owned(pointer, owner);
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

  watchNow(pointer: Pointer, options: WatchOptions = {}): Watch {
    const { collection, bookmarks } = this.#held(pointer);
    return openWatch(collection, bookmarks, pointer, options);
  }

  watchKindNow(kind: Kind, options: WatchKindOptions = {}): Watch {
    const { collection, bookmarks } = this.#held(kind);
    return openKindWatch(collection, bookmarks, options);
  }

  #owned(pointer: Pointer, owner: string): { collection: Collection; cell: Cell; resource: Resource } {
    const collection = this.#namespaces.get(pointer.namespace)?.get(pointer.type)?.collection;
    const cell = collection?.cells.get(pointer.id);
    const resource = cell?.resource;
    if (collection === undefined || cell === undefined || resource === undefined) throw new NotFoundError(pointer);
    if (resource.metadata.owner !== owner) throw new OwnerConflictError(pointer, resource.metadata.owner);
    return { collection, cell, resource };
  }

  #held({ namespace, type }: Kind): Held {
    let types = this.#namespaces.get(namespace);
    if (types === undefined) this.#namespaces.set(namespace, types = new Map());
    let held = types.get(type);
    if (held === undefined) {
      const bookmarks = new Bookmarks(this.#cookie, this.#tag++);
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

function stamp(
  metadata: Metadata,
  version: bigint,
  owner: string,
  created: Metadata["created"],
  updated: Metadata["updated"],
): Metadata {
  const { namespace, type, id, phase, labels, annotations, finalizers } = metadata;
  return makeMetadata(namespace, type, id, version, owner, phase, created, updated, labels, annotations, finalizers);
}

function checkPhase(stored: Metadata, expected: Phase | "any"): void {
  if (expected !== "any" && stored.phase !== expected) throw new PhaseConflictError(stored, expected);
}

function versionText(given: bigint | undefined, stored: bigint | undefined): string {
  return `it has version "${formatVersion(stored)}", not "${formatVersion(given)}"`;
}
