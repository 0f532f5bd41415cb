import { isEqual } from "../schema/mod.ts";
import { ConflictError, NotFoundError, OwnerConflictError } from "./errors.ts";
import type { Kind, Pointer } from "./metadata.ts";
import { changeMetadata, newMetadata } from "./metadata_edit.ts";
import { makeResource, type Resource } from "./resource.ts";
import type { State } from "./state.ts";
import { isSyncState, type SyncState } from "./sync_state.ts";
import { isTextMapEqual, NO_TEXT, textMap } from "./text_map.ts";
import type { Wanted } from "./access.ts";

/** What a sync did. */
export interface SyncReport {
  readonly writes: number;
  /** Some objects wait for others to let go of them. */
  readonly isHeld: boolean;
}

/** Hears of each write: what is stored now, or undefined when the object is gone. */
export type WriteListener = (id: string, stored: Resource | undefined) => void;

/** Objects handled before others get their turn. */
const BATCH = 2048;
/** Writes under way at once on a state that answers later. */
const PARALLEL = 64;

/**
 * Makes the objects of a kind that `owner` has equal to `wanted`. Everything is tried; the first failure is thrown at
 * the end, several as an `AggregateError`.
 */
export async function syncOutputs(
  state: State,
  kind: Kind,
  owner: string,
  wanted: Iterable<Wanted<unknown>>,
  onWrite: WriteListener = () => {},
): Promise<SyncReport> {
  const writer = isSyncState(state)
    ? new SyncWriter(state, kind, owner, onWrite)
    : new AsyncWriter(state, kind, owner, onWrite);
  const ids = new Set<string>();
  await writer.start();
  let done = 0;
  for (const item of wanted) {
    if (ids.has(item.id)) {
      writer.errors.push(new TypeError(`Cannot sync ${kind.type}: "${item.id}" is wanted twice`));
      continue;
    }
    ids.add(item.id);
    writer.want(item);
    if (++done % BATCH === 0) await writer.rest();
  }
  for (const { metadata: { id, owner: other } } of writer.list) {
    if (other === owner && !ids.has(id)) writer.end(id);
    if (++done % BATCH === 0) await writer.rest();
  }
  await writer.finish();
  const [error] = writer.errors;
  if (writer.errors.length > 1) throw new AggregateError(writer.errors, (error as Error).message);
  if (error !== undefined) throw error;
  return { writes: writer.writes, isHeld: writer.isHeld };
}

/** What one object needs. */
type Step =
  | { readonly kind: "none" | "held" }
  | { readonly kind: "create"; readonly resource: Resource }
  | { readonly kind: "update"; readonly resource: Resource }
  | { readonly kind: "replace"; readonly resource: Resource }
  | { readonly kind: "teardown" | "destroy" };

const NONE: Step = { kind: "none" };
const HELD: Step = { kind: "held" };

/** @throws {OwnerConflictError} when somebody else owns it. */
function planWanted(current: Resource | undefined, kind: Kind, owner: string, item: Wanted<unknown>): Step {
  const labels = item.labels ?? NO_TEXT, annotations = item.annotations ?? NO_TEXT;
  const anew = (): Resource => ({
    metadata: newMetadata({ namespace: kind.namespace, type: kind.type, id: item.id }, { labels, annotations }),
    spec: item.spec,
  });
  if (current === undefined) return { kind: "create", resource: anew() };
  const { metadata } = current;
  if (metadata.owner !== owner) throw new OwnerConflictError(metadata, metadata.owner);
  if (metadata.phase === "tearingDown") {
    return metadata.finalizers.length > 0 ? HELD : { kind: "replace", resource: anew() };
  }
  const isSame = isEqual(current.spec, item.spec);
  if (isSame && isTextMapEqual(metadata.labels, labels) && isTextMapEqual(metadata.annotations, annotations)) {
    return NONE;
  }
  const changed = changeMetadata(metadata, { labels: textMap(labels), annotations: textMap(annotations) });
  return { kind: "update", resource: makeResource(changed, isSame ? current.spec : item.spec) };
}

function planEnd(current: Resource | undefined, owner: string): Step {
  if (current === undefined || current.metadata.owner !== owner) return NONE;
  if (current.metadata.finalizers.length === 0) return { kind: "destroy" };
  return current.metadata.phase === "running" ? { kind: "teardown" } : HELD;
}

/** On a state that answers at once: read, decide and write each object in one go, so nobody comes in between. */
class SyncWriter {
  readonly errors: unknown[] = [];
  writes = 0;
  isHeld = false;
  readonly #state: SyncState;
  readonly #kind: Kind;
  readonly #owner: string;
  readonly #onWrite: WriteListener;

  constructor(state: SyncState, kind: Kind, owner: string, onWrite: WriteListener) {
    this.#onWrite = onWrite;
    this.#state = state;
    this.#kind = kind;
    this.#owner = owner;
  }

  get list(): readonly Resource[] {
    return this.#state.listNow(this.#kind);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  rest(): Promise<void> {
    return nextTurn();
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  want(item: Wanted<unknown>): void {
    try {
      this.#apply(item.id, planWanted(this.#find(item.id), this.#kind, this.#owner, item));
    } catch (error) {
      this.errors.push(error);
    }
  }

  end(id: string): void {
    try {
      this.#apply(id, planEnd(this.#find(id), this.#owner));
    } catch (error) {
      this.errors.push(error);
    }
  }

  #find(id: string): Resource | undefined {
    return this.#state.findNow(this.#kind.namespace, this.#kind.type, id);
  }

  #apply(id: string, step: Step): void {
    if (step.kind === "none") return;
    if (step.kind === "held" || step.kind === "teardown") this.isHeld = true;
    if (step.kind === "held") return;
    this.writes++;
    const pointer = { namespace: this.#kind.namespace, type: this.#kind.type, id }, options = { owner: this.#owner };
    if (step.kind === "teardown") this.#state.teardownNow(pointer, options);
    if (step.kind === "destroy" || step.kind === "replace") this.#state.destroyNow(pointer, options);
    let stored: Resource | undefined;
    if (step.kind === "create" || step.kind === "replace") stored = this.#state.createNow(step.resource, options);
    if (step.kind === "update") stored = this.#state.updateNow(step.resource, options);
    if (step.kind !== "teardown") this.#onWrite(id, stored);
  }
}

/** On a state that answers later: decide by one list, write many at once, and look again where somebody came first. */
class AsyncWriter {
  readonly errors: unknown[] = [];
  writes = 0;
  isHeld = false;
  list: readonly Resource[] = [];
  readonly #state: State;
  readonly #kind: Kind;
  readonly #owner: string;
  readonly #onWrite: WriteListener;
  readonly #current = new Map<string, Resource>();
  readonly #busy = new Set<Promise<void>>();
  #waiting: (() => Promise<void>)[] = [];

  constructor(state: State, kind: Kind, owner: string, onWrite: WriteListener) {
    this.#onWrite = onWrite;
    this.#state = state;
    this.#kind = kind;
    this.#owner = owner;
  }

  async start(): Promise<void> {
    this.list = await this.#state.list(this.#kind);
    for (const resource of this.list) this.#current.set(resource.metadata.id, resource);
  }

  want(item: Wanted<unknown>): void {
    this.#plan(item.id, (current) => planWanted(current, this.#kind, this.#owner, item));
  }

  end(id: string): void {
    this.#plan(id, (current) => planEnd(current, this.#owner));
  }

  #plan(id: string, plan: (current: Resource | undefined) => Step): void {
    const { namespace, type } = this.#kind;
    this.#waiting.push(() => this.#apply({ namespace, type, id }, plan));
  }

  async #apply(pointer: Pointer, plan: (current: Resource | undefined) => Step): Promise<void> {
    let current = this.#current.get(pointer.id);
    while (true) {
      try {
        await this.#write(pointer, plan(current));
        return;
      } catch (error) {
        const isRace = error instanceof NotFoundError ||
          error instanceof ConflictError && error.reason !== "owner";
        if (!isRace) {
          this.errors.push(error);
          return;
        }
        current = await this.#reread(pointer);
      }
    }
  }

  async #reread(pointer: Pointer): Promise<Resource | undefined> {
    try {
      return await this.#state.get(pointer);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async #write(pointer: Pointer, step: Step): Promise<void> {
    const options = { owner: this.#owner };
    if (step.kind === "held" || step.kind === "teardown") this.isHeld = true;
    if (step.kind === "none" || step.kind === "held") return;
    if (step.kind === "teardown") await this.#state.teardown(pointer, options);
    if (step.kind === "destroy" || step.kind === "replace") await this.#state.destroy(pointer, options);
    let stored: Resource | undefined;
    if (step.kind === "create" || step.kind === "replace") stored = await this.#state.create(step.resource, options);
    if (step.kind === "update") stored = await this.#state.update(step.resource, options);
    if (step.kind !== "teardown") this.#onWrite(pointer.id, stored);
    this.writes++;
  }

  async rest(): Promise<void> {
    await this.finish();
    await nextTurn(); // the state may answer without leaving this one
  }

  async finish(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) {
      const running: Promise<void> = work().catch((error) => void this.errors.push(error))
        .finally(() => this.#busy.delete(running));
      this.#busy.add(running);
      if (this.#busy.size >= PARALLEL) await Promise.race(this.#busy);
    }
    await Promise.all(this.#busy);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
