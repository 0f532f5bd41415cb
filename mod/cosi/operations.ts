import { ConflictError, NotFoundError, PhaseConflictError } from "./errors.ts";
import type { Metadata, Phase, Pointer } from "./metadata.ts";
import { isAnotherLife, withFinalizer, withoutFinalizer } from "./metadata_edit.ts";
import { isResourceEqual, type Resource, withMetadata } from "./resource.ts";
import type { EventType, OwnerOption, State, UpdateOptions, WatchEvent } from "./state.ts";
import { isSyncState } from "./sync_state.ts";
import { isTransactional, type TransactionalState } from "./transaction.ts";

/** The object, or undefined when it is not there. */
export async function findResource(state: State, pointer: Pointer): Promise<Resource | undefined> {
  if (isSyncState(state)) return state.findNow(pointer.namespace, pointer.type, pointer.id);
  try {
    return await state.get(pointer);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** A state in which a read and the write after it, as one transaction, spare all the tries that lose a race. */
function isOneStep(state: State): state is TransactionalState {
  return isTransactional(state) && !isSyncState(state);
}

/** Somebody else wrote in between. */
function isLostRace(error: unknown): boolean {
  return error instanceof ConflictError && error.reason === "version";
}

/**
 * Changes an object by a function of what is stored, again if somebody else wrote in between (clause 2.16). A change
 * to something equal writes nothing.
 * @throws {NotFoundError} {@link PhaseConflictError} {@link ConflictError} and whatever `change` throws.
 */
export async function updateWithConflicts(
  state: State,
  pointer: Pointer,
  change: (current: Resource) => Resource,
  options: UpdateOptions = {},
): Promise<Resource> {
  if (isOneStep(state)) {
    return await state.transact((transaction) =>
      transaction.modify(pointer, (current) => change(current ?? transaction.get(pointer)), options)
    );
  }
  const { expectedPhase = "running" } = options;
  while (true) {
    const current = await state.get(pointer);
    if (expectedPhase !== "any" && current.metadata.phase !== expectedPhase) {
      throw new PhaseConflictError(pointer, expectedPhase);
    }
    const wanted = change(current);
    if (isResourceEqual(current, wanted)) return current;
    try {
      return await state.update(wanted, options);
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
  }
}

/**
 * Creates the object or changes it (clause 2.18); a create race that is lost becomes a change.
 * @throws {PhaseConflictError} {@link ConflictError} and whatever `change` throws.
 */
export async function modify(
  state: State,
  pointer: Pointer,
  change: (current: Resource | undefined) => Resource,
  options: UpdateOptions = {},
): Promise<Resource> {
  if (isSyncState(state)) return state.modifyNow(pointer, change, options);
  if (isOneStep(state)) return await state.transact((transaction) => transaction.modify(pointer, change, options));
  while (true) {
    try {
      return await updateWithConflicts(state, pointer, change, options);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
    try {
      return await state.create(change(undefined), options);
    } catch (error) {
      if (!(error instanceof ConflictError && error.reason === "exists")) throw error;
    }
  }
}

/** Holds an object, whoever owns it and in whatever phase (clause 2.20); answers with what is stored then. @throws {NotFoundError} */
export async function addFinalizer(state: State, pointer: Pointer, name: string): Promise<Resource> {
  return await editMetadata(state, pointer, (metadata) => withFinalizer(metadata, name));
}

/** Lets go of an object. @throws {NotFoundError} */
export async function removeFinalizer(state: State, pointer: Pointer, name: string): Promise<Resource> {
  return await editMetadata(state, pointer, (metadata) => withoutFinalizer(metadata, name));
}

/**
 * Changes the metadata of an object, whoever owns it and in whatever phase; writes nothing when `edit` answers with what
 * it got. @throws {NotFoundError}
 */
export async function editMetadata(
  state: State,
  pointer: Pointer,
  edit: (metadata: Metadata) => Metadata,
): Promise<Resource> {
  if (isSyncState(state)) {
    const current = state.getNow(pointer);
    const wanted = withMetadata(current, edit(current.metadata));
    if (wanted === current) return current;
    return state.updateNow(wanted, { owner: current.metadata.owner, expectedPhase: "any" });
  }
  if (isOneStep(state)) {
    return await state.transact((transaction) => {
      const { owner } = transaction.get(pointer).metadata;
      const change = (current = transaction.get(pointer)) => withMetadata(current, edit(current.metadata));
      return transaction.modify(pointer, change, { owner, expectedPhase: "any" });
    });
  }
  while (true) {
    const current = await state.get(pointer);
    const wanted = withMetadata(current, edit(current.metadata));
    if (wanted === current) return current;
    try {
      return await state.update(wanted, { owner: current.metadata.owner, expectedPhase: "any" });
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
  }
}

/** What `watchFor` waits for; everything given must hold. */
export interface WatchConditions {
  readonly types?: readonly EventType[];
  readonly phases?: readonly Phase[];
  /** The object is there and nobody holds it. */
  readonly finalizersEmpty?: boolean;
  /** A throw ends the wait with that error. */
  readonly condition?: (resource: Resource) => boolean;
}

function isMet(event: WatchEvent, { types, phases, finalizersEmpty, condition }: WatchConditions): boolean {
  const { metadata } = event.resource;
  if (types !== undefined && !types.includes(event.type)) return false;
  if (phases !== undefined && !phases.includes(metadata.phase)) return false;
  if (finalizersEmpty && (event.type === "destroyed" || metadata.finalizers.length > 0)) return false;
  return condition?.(event.resource) ?? true;
}

/**
 * The object of the first event that meets the conditions; an object that meets them already answers at once
 * (clause 2.22). @throws the reason of `signal` when it is aborted first, or the error of a watch that broke.
 */
export async function watchFor(
  state: State,
  pointer: Pointer,
  conditions: WatchConditions = {},
  signal?: AbortSignal,
): Promise<Resource> {
  signal?.throwIfAborted();
  using watch = await state.watch(pointer);
  const stop = () => watch[Symbol.dispose]();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const events of watch) {
      for (const event of events) {
        if (event.type === "errored") throw event.error ?? new Error(`Cannot watch ${pointer.type}: the watch broke`);
        if (isMet(event, conditions)) return event.resource;
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  signal?.throwIfAborted();
  throw new Error(`Cannot watch ${pointer.type}: the watch ended`);
}

/** A state that does all of {@link teardownAndDestroy} itself, where the object is. */
export interface EndingState extends State {
  teardownAndDestroy(pointer: Pointer, options?: OwnerOption, signal?: AbortSignal): Promise<void>;
}

function isEnding(state: State): state is EndingState {
  return "teardownAndDestroy" in state;
}

/**
 * Asks for the end of an object and destroys it once nobody holds it any more; that somebody else destroys it is
 * fine (clause 2.21). @throws {NotFoundError} when it is not there at the start. {@link ConflictError}
 */
export async function teardownAndDestroy(
  state: State,
  pointer: Pointer,
  options: OwnerOption = {},
  signal?: AbortSignal,
): Promise<void> {
  if (isEnding(state)) return await state.teardownAndDestroy(pointer, options, signal);
  await endStepByStep(state, pointer, options, signal);
}

/** As {@link teardownAndDestroy}, by the operations that every state has. */
export async function endStepByStep(
  state: State,
  pointer: Pointer,
  options: OwnerOption = {},
  signal?: AbortSignal,
): Promise<void> {
  let isReady = await state.teardown(pointer, options);
  while (true) {
    if (!isReady) await watchFor(state, pointer, { condition: isUnheld }, signal);
    try {
      return await state.destroy(pointer, options);
    } catch (error) {
      if (error instanceof NotFoundError) return;
      if (!(error instanceof ConflictError && error.reason === "finalizers")) throw error;
      isReady = false; // somebody took hold of it in between
    }
  }
}

function isUnheld({ metadata }: Resource): boolean {
  return metadata.finalizers.length === 0;
}

/** A signal that is aborted when the object is missing, tearing down or gone, or cannot be watched (clause 2.23). */
export async function teardownSignal(state: State, pointer: Pointer, signal?: AbortSignal): Promise<AbortSignal> {
  const ended = new AbortController();
  const stop = () => ended.abort(signal?.reason);
  if (signal?.aborted) {
    stop();
    return ended.signal;
  }
  signal?.addEventListener("abort", stop, { once: true });
  let known: Metadata | undefined;
  const isOver = ({ type, resource: { metadata } }: WatchEvent) => {
    const isOther = known !== undefined && isAnotherLife(known, metadata);
    known = metadata;
    return type === "destroyed" || metadata.phase === "tearingDown" || isOther;
  };
  const watch = await state.watch(pointer, {
    coalesce: true,
    wake: () => follow(),
  });
  const finish = (reason?: unknown) => {
    signal?.removeEventListener("abort", stop);
    watch[Symbol.dispose]();
    ended.abort(reason);
  };
  ended.signal.addEventListener("abort", () => watch[Symbol.dispose](), { once: true });
  function follow(): void {
    for (const event of watch.take()) {
      if (event.type === "errored") finish(event.error);
      else if (isOver(event)) finish();
    }
  }
  follow();
  return ended.signal;
}
