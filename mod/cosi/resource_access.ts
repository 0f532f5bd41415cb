import type { ModifyOptions, OwnedPlace, Place, QAccess } from "./access.ts";
import type { AccessRules } from "./access_rules.ts";
import type { ControllerCounters } from "./controller_status.ts";
import type { AnyDefinition, SpecOf } from "./definition.ts";
import { NotFoundError } from "./errors.ts";
import type { KindCache } from "./kind_cache.ts";
import type { CachedFeed } from "./kind_feed.ts";
import type { Kind, Metadata, Pointer } from "./metadata.ts";
import { changeMetadata, newMetadata, withFinalizer, withoutFinalizer } from "./metadata_edit.ts";
import { editMetadata, findResource, modify, teardownSignal } from "./operations.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { State } from "./state.ts";
import { cachedTeardownSignal, type TeardownSignals } from "./teardown_signals.ts";
import type { CauseLog, WriteCause } from "./write_cause.ts";

/** What the access of a controller needs of its runner. */
export interface AccessHost {
  readonly name: string;
  readonly state: State;
  readonly signal: AbortSignal;
  readonly counters: ControllerCounters;
  readonly causes: CauseLog;
  readonly rules: AccessRules;
  readonly ends: TeardownSignals;
  /** The feed of a kind if it keeps a cache. */
  cachedFeed(kind: Kind): CachedFeed | undefined;
  /** Sees to a run once nobody holds an object of that owner any more whose end was asked for. */
  awaitRelease(kind: Kind, owner: string, id?: string): Promise<void>;
  log(level: "info", message: string): void;
}

export function kindOf(definition: AnyDefinition, place: Place): Kind {
  return { namespace: place.namespace ?? definition.namespace, type: definition.type };
}

function pointerOf(definition: AnyDefinition, id: string, place: Place): Pointer {
  return { namespace: place.namespace ?? definition.namespace, type: definition.type, id };
}

export const HERE: Place = {};

async function readOne({ state, counters }: AccessHost, pointer: Pointer): Promise<Resource | undefined> {
  counters.reads++;
  return await findResource(state, pointer);
}

async function readAll({ state, counters }: AccessHost, kind: Kind, query?: Query): Promise<readonly Resource[]> {
  counters.reads++;
  return await state.list(kind, query);
}

/** The cache of a kind, once it has contents. */
async function readyCache(feed: CachedFeed, signal: AbortSignal): Promise<KindCache> {
  await feed.open();
  await feed.cache.ready(signal);
  return feed.cache;
}

/** An object for a controller: from the cache of a cached kind, unless that is behind. */
export async function findObject(host: AccessHost, pointer: Pointer): Promise<Resource | undefined> {
  const feed = host.cachedFeed(pointer);
  if (feed !== undefined) {
    const cache = await readyCache(feed, host.signal);
    if (!cache.isBehind(pointer.id)) return cache.get(pointer.id);
  }
  return await readOne(host, pointer);
}

/** As {@link findObject}, all objects of a kind. */
export async function listObjects(host: AccessHost, kind: Kind, query: Query = {}): Promise<readonly Resource[]> {
  const feed = host.cachedFeed(kind);
  if (feed === undefined) return await readAll(host, kind, query);
  const cache = await readyCache(feed, host.signal);
  return await cache.list(query, host.signal, () => readAll(host, kind));
}

/** The access of one controller: checks every call against what was declared, and writes under its name. */
export class ResourceAccess implements QAccess {
  readonly signal: AbortSignal;
  readonly host: AccessHost;
  /** Why this run happens. */
  cause: WriteCause;

  constructor(host: AccessHost, cause: WriteCause) {
    this.signal = host.signal;
    this.host = host;
    this.cause = cause;
  }

  // The state holds foreign types as well; that an object of a type has that type's spec is what its writers guarantee.
  async get<D extends AnyDefinition>(
    definition: D,
    id: string,
    place = HERE,
  ): Promise<Resource<SpecOf<D>> | undefined> {
    const pointer = pointerOf(definition, id, place);
    this.host.rules.checkRead(pointer);
    const found = await findObject(this.host, pointer);
    if (found !== undefined) this.read([found]);
    return found as Resource<SpecOf<D>> | undefined;
  }

  async getUncached<D extends AnyDefinition>(
    definition: D,
    id: string,
    place = HERE,
  ): Promise<Resource<SpecOf<D>> | undefined> {
    const pointer = pointerOf(definition, id, place);
    this.host.rules.checkRead(pointer);
    return await readOne(this.host, pointer) as Resource<SpecOf<D>> | undefined;
  }

  async list<D extends AnyDefinition>(
    definition: D,
    query: Query & Place = HERE,
  ): Promise<readonly Resource<SpecOf<D>>[]> {
    const kind = kindOf(definition, query);
    this.host.rules.checkList(kind);
    const found = await listObjects(this.host, kind, query);
    this.read(found);
    return found as readonly Resource<SpecOf<D>>[];
  }

  async listUncached<D extends AnyDefinition>(
    definition: D,
    query: Query & Place = HERE,
  ): Promise<readonly Resource<SpecOf<D>>[]> {
    const kind = kindOf(definition, query);
    this.host.rules.checkList(kind);
    return await readAll(this.host, kind, query) as readonly Resource<SpecOf<D>>[];
  }

  async teardownSignal(definition: AnyDefinition, id: string, place = HERE): Promise<AbortSignal> {
    const pointer = pointerOf(definition, id, place);
    const { rules, ends, counters, state } = this.host;
    rules.checkRead(pointer);
    return await ends.of(pointer, async () => {
      const feed = this.host.cachedFeed(pointer);
      if (feed !== undefined) {
        const cache = await readyCache(feed, this.signal);
        if (!cache.isBehind(id)) return cachedTeardownSignal(feed, id, this.signal);
      }
      counters.reads++;
      return await teardownSignal(state, pointer, this.signal);
    });
  }

  async modify<D extends AnyDefinition>(
    definition: D,
    id: string,
    change: SpecOf<D> | ((current: SpecOf<D> | undefined) => SpecOf<D>),
    options: ModifyOptions = HERE,
  ): Promise<Resource<SpecOf<D>>> {
    const pointer = pointerOf(definition, id, options);
    const { rules, counters, state, name } = this.host;
    rules.checkWrite(pointer);
    this.mark(pointer);
    counters.reads++;
    let before: Resource | undefined;
    const stored = await modify(state, pointer, (current) => {
      before = current;
      return changed(pointer, current, isFunction(change) ? change(current?.spec as SpecOf<D>) : change, options);
    }, { owner: options.owner ?? name, expectedPhase: options.expectedPhase ?? "running" });
    if (stored !== before) {
      counters.writes++;
      this.wrote(pointer, id, stored);
    }
    return stored as Resource<SpecOf<D>>;
  }

  /** Hears of what this run reads. */
  read(_resources: readonly Resource[]): void {}

  /** Hears of objects that this run wants, before they are written. */
  mark(_pointer: Pointer): void {}

  /** Notes why an object was written, and that a cache is behind. */
  wrote(kind: Kind, id: string, stored: Resource | undefined): void {
    const { causes } = this.host;
    if (stored === undefined) causes.forget(kind, id);
    else causes.record(kind, id, this.cause);
    this.host.cachedFeed(kind)?.cache.wrote({ ...kind, id }, stored?.metadata);
  }

  async teardown(definition: AnyDefinition, id: string, place: OwnedPlace = HERE): Promise<boolean> {
    const pointer = pointerOf(definition, id, place);
    this.host.rules.checkWrite(pointer);
    return await this.endOf(pointer, place.owner);
  }

  /** As `teardown`, of what was checked. */
  async endOf(pointer: Pointer, owner = this.host.name): Promise<boolean> {
    this.host.counters.writes++;
    let isReady = true;
    try {
      isReady = await this.host.state.teardown(pointer, { owner });
      this.host.cachedFeed(pointer)?.cache.toreDown(pointer);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
    if (!isReady) await this.host.awaitRelease(pointer, owner, pointer.id);
    return isReady;
  }

  async destroy(definition: AnyDefinition, id: string, place: OwnedPlace = HERE): Promise<void> {
    const pointer = pointerOf(definition, id, place);
    this.host.rules.checkWrite(pointer);
    await this.remove(pointer, place.owner);
  }

  /** As `destroy`, of what was checked. */
  async remove(pointer: Pointer, owner = this.host.name): Promise<void> {
    this.host.counters.writes++;
    try {
      await this.host.state.destroy(pointer, { owner });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
    this.wrote(pointer, pointer.id, undefined);
  }

  async addFinalizer(definition: AnyDefinition, id: string, place = HERE): Promise<void> {
    await this.#hold(pointerOf(definition, id, place), (metadata) => withFinalizer(metadata, this.host.name));
  }

  async removeFinalizer(definition: AnyDefinition, id: string, place = HERE): Promise<void> {
    try {
      await this.#hold(pointerOf(definition, id, place), (metadata) => withoutFinalizer(metadata, this.host.name));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async #hold(pointer: Pointer, edit: (metadata: Metadata) => Metadata): Promise<void> {
    const { rules, counters, state } = this.host;
    rules.checkHold(pointer);
    counters.reads++;
    let isChanged = false;
    const { metadata } = await editMetadata(state, pointer, (now) => {
      const edited = edit(now);
      isChanged = edited !== now;
      return edited;
    });
    if (isChanged) counters.writes++;
    this.host.cachedFeed(pointer)?.cache.wrote(pointer, metadata);
  }

  log(message: string): void {
    this.host.log("info", message);
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
