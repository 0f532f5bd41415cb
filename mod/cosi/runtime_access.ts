import { AccessRules } from "./access_rules.ts";
import type { Access, Controller, Input, ModifyOptions, Place, Wanted } from "./controller.ts";
import type { ControllerCounters } from "./controller_status.ts";
import type { AnyDefinition, SpecOf } from "./definition.ts";
import { NotFoundError } from "./errors.ts";
import type { Kind, Pointer } from "./metadata.ts";
import { changeMetadata, newMetadata } from "./metadata_edit.ts";
import { addFinalizer, modify, removeFinalizer } from "./operations.ts";
import { syncOutputs } from "./output_sync.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { State } from "./state.ts";
import { isSyncState } from "./sync_state.ts";
import { OutputTracker } from "./output_tracker.ts";

/** What the access of a controller needs of its runner. */
export interface AccessHost {
  readonly state: State;
  readonly signal: AbortSignal;
  readonly counters: ControllerCounters;
  wake(): void;
  wakeWithin(delayMs: number): void;
  updateInputs(inputs: readonly Input[]): Promise<void>;
  awaitRelease(kind: Kind): Promise<void>;
  log(level: "info", message: string): void;
}

function kindOf(definition: AnyDefinition, place: Place): Kind {
  return { namespace: place.namespace ?? definition.namespace, type: definition.type };
}

function pointerOf(definition: AnyDefinition, id: string, place: Place): Pointer {
  return { namespace: place.namespace ?? definition.namespace, type: definition.type, id };
}

const HERE: Place = {};

/** The access of one controller: checks every call against what was declared, and writes under its name. */
export class RuntimeAccess implements Access {
  readonly signal: AbortSignal;
  readonly #controller: Controller;
  readonly #host: AccessHost;
  readonly #state: State;
  readonly #owner: string;
  readonly #tracker = new OutputTracker();
  #rules: AccessRules;

  constructor(controller: Controller, host: AccessHost) {
    const { name, inputs, outputs } = controller;
    this.signal = host.signal;
    this.#controller = controller;
    this.#host = host;
    this.#state = host.state;
    this.#owner = name;
    this.#rules = new AccessRules(name, inputs, outputs);
  }

  // The state holds foreign types as well; that an object of a type has that type's spec is what its writers guarantee.
  async get<D extends AnyDefinition>(
    definition: D,
    id: string,
    place = HERE,
  ): Promise<Resource<SpecOf<D>> | undefined> {
    const pointer = pointerOf(definition, id, place);
    this.#rules.checkRead(pointer);
    this.#host.counters.reads++;
    const state = this.#state;
    if (isSyncState(state)) {
      return state.findNow(pointer.namespace, pointer.type, id) as Resource<SpecOf<D>> | undefined;
    }
    try {
      return await state.get(pointer) as Resource<SpecOf<D>>;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async list<D extends AnyDefinition>(
    definition: D,
    query: Query & Place = HERE,
  ): Promise<readonly Resource<SpecOf<D>>[]> {
    const kind = kindOf(definition, query);
    this.#rules.checkList(kind);
    this.#host.counters.reads++;
    return await this.#state.list(kind, query) as readonly Resource<SpecOf<D>>[];
  }

  async modify<D extends AnyDefinition>(
    definition: D,
    id: string,
    change: SpecOf<D> | ((current: SpecOf<D> | undefined) => SpecOf<D>),
    options: ModifyOptions = HERE,
  ): Promise<Resource<SpecOf<D>>> {
    const pointer = pointerOf(definition, id, options);
    this.#rules.checkWrite(pointer);
    this.#tracker.mark(pointer);
    this.#host.counters.reads++;
    let before: Resource | undefined;
    const stored = await modify(this.#state, pointer, (current) => {
      before = current;
      return changed(pointer, current, isFunction(change) ? change(current?.spec as SpecOf<D>) : change, options);
    }, { owner: this.#owner, expectedPhase: options.expectedPhase ?? "running" });
    if (stored !== before) this.#host.counters.writes++;
    return stored as Resource<SpecOf<D>>;
  }

  async sync<D extends AnyDefinition>(definition: D, wanted: Iterable<Wanted<SpecOf<D>>>, place = HERE): Promise<void> {
    const kind = kindOf(definition, place);
    this.#rules.checkWrite(kind);
    const marked = this.#tracker.isTracking ? this.#marking(kind, wanted) : wanted;
    this.#host.counters.reads++;
    const { writes, isHeld } = await syncOutputs(this.#state, kind, this.#owner, marked);
    this.#host.counters.writes += writes;
    if (isHeld) await this.#host.awaitRelease(kind);
  }

  *#marking<S>(kind: Kind, wanted: Iterable<Wanted<S>>): Iterable<Wanted<S>> {
    for (const item of wanted) {
      this.#tracker.mark({ ...kind, id: item.id });
      yield item;
    }
  }

  async teardown(definition: AnyDefinition, id: string, place = HERE): Promise<boolean> {
    const pointer = pointerOf(definition, id, place);
    this.#rules.checkWrite(pointer);
    return await this.#teardown(pointer);
  }

  async #teardown(pointer: Pointer): Promise<boolean> {
    this.#host.counters.writes++;
    let isReady = true;
    try {
      isReady = await this.#state.teardown(pointer, { owner: this.#owner });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
    if (!isReady) await this.#host.awaitRelease(pointer);
    return isReady;
  }

  async destroy(definition: AnyDefinition, id: string, place = HERE): Promise<void> {
    const pointer = pointerOf(definition, id, place);
    this.#rules.checkWrite(pointer);
    await this.#destroy(pointer);
  }

  async #destroy(pointer: Pointer): Promise<void> {
    this.#host.counters.writes++;
    try {
      await this.#state.destroy(pointer, { owner: this.#owner });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async addFinalizer(definition: AnyDefinition, id: string, place = HERE): Promise<void> {
    const pointer = pointerOf(definition, id, place);
    this.#rules.checkHold(pointer);
    this.#host.counters.writes++;
    await addFinalizer(this.#state, pointer, this.#owner);
  }

  async removeFinalizer(definition: AnyDefinition, id: string, place = HERE): Promise<void> {
    const pointer = pointerOf(definition, id, place);
    this.#rules.checkHold(pointer);
    this.#host.counters.writes++;
    try {
      await removeFinalizer(this.#state, pointer, this.#owner);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  startTrackingOutputs(): void {
    this.#tracker.start();
  }

  async cleanupOutputs(...definitions: readonly AnyDefinition[]): Promise<void> {
    if (!this.#tracker.isTracking) throw new TypeError("Cannot clean up outputs: tracking was not started");
    for (const definition of definitions) this.#rules.checkWrite(kindOf(definition, HERE));
    for (const definition of definitions) {
      for (const namespace of this.#tracker.namespacesOf(definition)) {
        this.#host.counters.reads++;
        const kind = { namespace, type: definition.type };
        for (const { metadata } of await this.#state.list(kind)) {
          if (metadata.owner !== this.#owner || this.#tracker.isMarked(metadata)) continue;
          if (await this.#teardown(metadata)) await this.#destroy(metadata);
        }
      }
    }
    this.#tracker.stop();
  }

  async updateInputs(inputs: readonly Input[]): Promise<void> {
    await this.#host.updateInputs(inputs);
    this.#rules = new AccessRules(this.#owner, inputs, this.#controller.outputs);
  }

  queueReconcile(): void {
    this.#host.wake();
  }

  reconcileWithin(delayMs: number): void {
    this.#host.wakeWithin(delayMs);
  }

  log(message: string): void {
    this.#host.log("info", message);
  }

  /** What the run remembered ends with it. */
  endRun(): void {
    this.#tracker.stop();
  }
}

function isFunction<S>(change: S | ((current: S | undefined) => S)): change is (current: S | undefined) => S {
  return typeof change === "function";
}

function changed(pointer: Pointer, current: Resource | undefined, spec: unknown, options: ModifyOptions): Resource {
  const { labels, annotations } = options;
  const fields = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  if (current === undefined) return { metadata: newMetadata(pointer, fields), spec };
  if (labels === undefined && annotations === undefined) return { metadata: current.metadata, spec };
  return { metadata: changeMetadata(current.metadata, fields), spec };
}
