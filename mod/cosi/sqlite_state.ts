import type { AnyDefinition } from "./definition.ts";
import { MemoryState } from "./memory_state.ts";
import type { Kind, Pointer } from "./metadata.ts";
import type { HistoryState, ObjectVersion } from "./object_history.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { SqliteStore, StoredChange } from "./sqlite_store.ts";
import type { OwnerOption, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";
import { StoreError } from "./store_error.ts";
import { encodeStored } from "./stored_record.ts";
import { type Change, Draft, type Transaction, type TransactionalState } from "./transaction.ts";

/** A write that waits for its turn. */
interface Pending {
  /** Checks it on top of the batch and adds what it stores; answers with what tells the writer how it went. */
  run(batch: Batch): (failure: StoreError | undefined) => void;
}

const NO_BYTES = new Uint8Array(0);

/**
 * A state on disk, with all of it in memory: reads and watches never wait. Writes of one turn of the event loop are
 * committed together and answered once they are on the disk; until then nobody sees them (clause 2.13).
 */
export class SqliteState implements TransactionalState, HistoryState, AsyncDisposable {
  readonly #memory: MemoryState;
  readonly #store: SqliteStore;
  readonly #definition: (type: string) => AnyDefinition | undefined;
  readonly #maxBatch: number;
  #queue: Pending[] = [];
  #isScheduled = false;
  #isClosed = false;

  /**
   * The memory holds what the store holds; `openSqliteState` makes both.
   * @param maxBatch writes that are committed together at most, so that readers get their turn before they fall behind.
   */
  constructor(
    memory: MemoryState,
    store: SqliteStore,
    definition: (type: string) => AnyDefinition | undefined,
    maxBatch: number,
  ) {
    this.#maxBatch = maxBatch;
    this.#memory = memory;
    this.#store = store;
    this.#definition = definition;
  }

  get(pointer: Pointer): Promise<Resource> {
    return this.#memory.get(pointer);
  }

  list(kind: Kind, query?: Query): Promise<readonly Resource[]> {
    return this.#memory.list(kind, query);
  }

  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    return this.#memory.watch(pointer, options);
  }

  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    return this.#memory.watchKind(kind, options);
  }

  history(pointer: Pointer, limit: number): Promise<readonly ObjectVersion[]> {
    return this.#memory.history(pointer, limit);
  }

  create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    return this.transact((transaction) => transaction.create(resource, options));
  }

  update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return this.transact((transaction) => transaction.update(resource, options));
  }

  destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    return this.transact((transaction) => transaction.destroy(pointer, options));
  }

  teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    return this.transact((transaction) => transaction.teardown(pointer, options));
  }

  /** @throws {StoreError} beside what the work throws. */
  transact<T>(work: (transaction: Transaction) => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StoreError("write", this.#store.path, "closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: (batch) => batch.run(work, resolve, reject) });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#commit();
      this.#schedule();
    });
  }

  /** One transaction for all that wait: check, write to disk, and only then to memory. */
  #commit(): void {
    const pending = this.#queue.splice(0, this.#maxBatch);
    if (pending.length === 0) return;
    const batch = new Batch(this.#memory, this.#definition);
    const settle = pending.map((write) => write.run(batch));
    let failure: StoreError | undefined;
    try {
      if (batch.changes.length > 0) {
        this.#store.write(batch.changes, (pointer) => this.#memory.positionOf(pointer));
        this.#memory.applyNow(batch.changes.map(({ change }) => change));
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      failure = error;
    }
    for (const tell of settle) tell(failure);
  }

  /** Stores what waits, then lets go of the file. Reads go on; writes are refused. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    while (this.#queue.length > 0) this.#commit();
    this.#store[Symbol.dispose]();
    return Promise.resolve();
  }
}

/** Writes that are going to be stored together. */
class Batch {
  readonly changes: StoredChange[] = [];
  readonly #draft: Draft;
  readonly #definition: (type: string) => AnyDefinition | undefined;

  constructor(memory: MemoryState, definition: (type: string) => AnyDefinition | undefined) {
    this.#draft = new Draft((namespace, type, id) => memory.findNow(namespace, type, id));
    this.#definition = definition;
  }

  run<T>(
    work: (transaction: Transaction) => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): (failure: StoreError | undefined) => void {
    try {
      const draft = new Draft(this.#draft.lookup);
      const value = draft.run(work);
      const stored = draft.changes.map((change) => ({ change, record: this.#encode(change) }));
      this.#draft.accept(draft.changes);
      this.changes.push(...stored);
      return (failure) => failure === undefined ? resolve(value) : reject(failure);
    } catch (error) {
      // What was refused for a write before it that is not stored either was refused for the failure.
      return (failure) => reject(failure ?? error);
    }
  }

  #encode({ type, resource }: Change): Uint8Array {
    if (type === "destroyed") return NO_BYTES;
    const { metadata } = resource;
    if (!metadata.id.isWellFormed()) throw new TypeError("Cannot store an object: its id has half a character");
    return encodeStored(resource, this.#definition(metadata.type));
  }
}
