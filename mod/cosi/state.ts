import type { Kind, Phase, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";

/** What happened (clause 2.39). */
export type EventType = "created" | "updated" | "destroyed" | "bootstrapped" | "errored" | "noop";

/** One event. Its objects are shared with everybody else. */
export interface WatchEvent {
  readonly type: EventType;
  /** The object; a tombstone for `bootstrapped`, `noop` and a first `destroyed`. */
  readonly resource: Resource;
  /** The object before an update. */
  readonly old: Resource | undefined;
  /** Why the watch ended, with `errored`, which is the last event; or why it started over, with `noop`. */
  readonly error: Error | undefined;
  /** Where a later watch may go on; made when asked for. */
  readonly bookmark: Uint8Array | undefined;
}

/**
 * A stream of batches of events, established when it is returned: nothing after that moment is missed (clause 2.24).
 * Disposing it ends it; an `errored` event ends it too.
 */
export interface Watch extends AsyncIterable<readonly WatchEvent[]>, Disposable {
  /** What is pending now, possibly nothing; never waits. */
  take(): readonly WatchEvent[];
}

interface WatchStart {
  /** Replay the last events from history (clauses 2.27, 2.33). */
  readonly tailEvents?: number;
  /** Go on right after a bookmarked event (clauses 2.28, 2.34). */
  readonly startFromBookmark?: Uint8Array;
  /**
   * Called in the writer's turn when events become pending, and again only after they were taken with `take`. Not
   * called for what is pending when the watch is opened. A throw ends this watch with that error.
   */
  readonly wake?: () => void;
  /** The consumer needs no specs. One that would have to carry them somewhere leaves them out. */
  readonly metadataOnly?: boolean;
  /**
   * A watch that falls behind does not end but starts over (clause 9.2): a `noop` event whose `error` says so, then
   * what there is now, `created` object by object and for a kind `bootstrapped` behind them. What the consumer knows
   * beside that is gone.
   */
  readonly resync?: boolean;
}

/** How one object is watched. */
export interface WatchOptions extends WatchStart {
  /** Keep only the latest state while the consumer is busy: cannot overrun (clause 9.2). */
  readonly coalesce?: boolean;
}

/** How a collection is watched. */
export interface WatchKindOptions extends WatchStart, Query {
  /** First what exists, then `bootstrapped` (clause 2.31). */
  readonly bootstrapContents?: boolean;
  /** First a `noop` that carries a bookmark (clause 2.32). */
  readonly bootstrapBookmark?: boolean;
  /**
   * Keep only the latest state of each object while the consumer is busy: cannot overrun (clause 9.2). An object that
   * came and went meanwhile is `destroyed`, although it was never `created`.
   */
  readonly coalesce?: boolean;
}

/** Who writes. */
export interface OwnerOption {
  readonly owner?: string;
}

/** How an object is updated. */
export interface UpdateOptions extends OwnerOption {
  /** Phase that the stored object must have; `running` unless said (clause 2.11). */
  readonly expectedPhase?: Phase | "any";
}

/**
 * A store of resources (cosi.md section 2). Memory, disk and gRPC client implement it alike.
 * Every call answers with shared frozen objects.
 */
export interface State {
  /** @throws {NotFoundError} */
  get(pointer: Pointer): Promise<Resource>;
  /** Sorted by id in byte order; empty for an unknown kind. */
  list(kind: Kind, query?: Query): Promise<readonly Resource[]>;
  /** Stores version 1 and answers with what is stored. @throws {ConflictError} when it exists. */
  create(resource: Resource, options?: OwnerOption): Promise<Resource>;
  /** Stores the next version. @throws {NotFoundError} {@link ConflictError} and its subclasses. */
  update(resource: Resource, options?: UpdateOptions): Promise<Resource>;
  /** @throws {NotFoundError} {@link ConflictError} when finalizers are left or another owner has it. */
  destroy(pointer: Pointer, options?: OwnerOption): Promise<void>;
  /** Starts the end of an object; answers whether it can be destroyed now (clause 2.19). */
  teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean>;
  /** @throws {InvalidBookmarkError} */
  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch>;
  /** @throws {InvalidBookmarkError} */
  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch>;
}
