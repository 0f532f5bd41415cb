import type { Metadata, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import { compileQuery, lacksPatterns, loadPatterns } from "./query_match.ts";
import type { Resource } from "./resource.ts";
import type { WatchEvent } from "./state.ts";
import { compareText } from "./text_order.ts";

/** How long a list waits for writes of this process to come back by the watch, before it reads past the cache. */
const MAX_WAIT_MS = 100;
const NOTHING: readonly WatchEvent[] = [];

/**
 * The objects of one kind as its watch tells of them (cosi.md 3-G). What this process wrote is seen by its next read
 * (clause 9.14): `get` of such an object says that the cache does not know yet, and `list` waits until it does.
 */
export class KindCache {
  #objects = new Map<string, Resource>();
  /** Objects of the bootstrap under way; undefined outside of one. */
  #boot: Map<string, Resource> | undefined;
  /** The last list; right until something changes. */
  #sorted: readonly Resource[] = [];
  #isStale = false;
  /** Ids that have come since the last list. */
  readonly #added = new Set<string>();
  #hasContents = false;
  readonly #first = Promise.withResolvers<void>();
  /** Writes of this process that the watch has not told of yet; undefined metadata: it was destroyed. */
  readonly #ahead = new Map<string, Metadata | undefined>();
  #caughtUp: PromiseWithResolvers<void> | undefined;

  get size(): number {
    return this.#objects.size;
  }

  /** The contents of a watch that was opened have not all come yet. */
  get isFilling(): boolean {
    return this.#boot !== undefined;
  }

  /** A new watch begins with all contents. */
  restart(): void {
    this.#boot = new Map();
  }

  /** Takes events in; those that dependents have to hear of come back. */
  apply(events: readonly WatchEvent[]): readonly WatchEvent[] {
    let at = 0;
    while (this.#boot !== undefined && at < events.length) {
      const event = events[at++] as WatchEvent;
      if (event.type === "bootstrapped") this.#bootstrapped(this.#boot);
      else if (event.type === "errored") return [event];
      else if (event.type !== "noop") this.#boot.set(event.resource.metadata.id, event.resource);
    }
    const rest = at === 0 ? events : at === events.length ? NOTHING : events.slice(at);
    for (const event of rest) this.#change(event);
    return rest;
  }

  #bootstrapped(objects: Map<string, Resource>): void {
    for (const [id, written] of this.#ahead) {
      const now = objects.get(id)?.metadata;
      const isKnown = written === undefined ? now === undefined : now !== undefined && !isOlder(now, written);
      if (isKnown) this.#ahead.delete(id);
    }
    this.#objects = objects;
    this.#hasContents = true;
    this.#boot = undefined;
    this.#isStale = false;
    this.#added.clear();
    this.#sorted = Object.freeze([...objects.values()].sort(compareIds));
    if (this.#ahead.size === 0) this.#caughtUp?.resolve();
    this.#first.resolve();
  }

  #change({ type, resource }: WatchEvent): void {
    if (type === "noop" || type === "errored" || type === "bootstrapped") return;
    const { metadata } = resource;
    const before = this.#objects.get(metadata.id)?.metadata;
    this.#isStale = true;
    if (type === "destroyed") this.#objects.delete(metadata.id);
    else this.#objects.set(metadata.id, resource);
    if (before === undefined) this.#added.add(metadata.id);
    if (this.#ahead.has(metadata.id)) this.#settle(metadata, before, type === "destroyed");
  }

  #settle(seen: Metadata, before: Metadata | undefined, isGone: boolean): void {
    const written = this.#ahead.get(seen.id);
    // A destroy or another life settles a destroy; another version settles a write unless it is an older one.
    const isOtherLife = before === undefined || isOlder(before, { ...seen, version: 0n });
    if (written === undefined ? !isGone && !isOtherLife : !isGone && isOlder(seen, written)) return;
    this.#ahead.delete(seen.id);
    if (this.#ahead.size === 0) this.#caughtUp?.resolve();
  }

  /** Tells of a write of this process before its caller goes on. */
  wrote(pointer: Pointer, stored: Metadata | undefined): void {
    if (!this.#hasContents && !this.isFilling) return; // nobody reads the kind
    const cached = this.#objects.get(pointer.id)?.metadata;
    const isKnown = stored === undefined ? cached === undefined : cached !== undefined && !isOlder(cached, stored);
    // What comes of a watch that is being opened may be from before the write.
    if (isKnown && !this.isFilling) this.#ahead.delete(pointer.id);
    else this.#ahead.set(pointer.id, stored);
    if (this.#ahead.size === 0) this.#caughtUp?.resolve();
  }

  /** Tells that this process has asked for the end of an object. */
  toreDown(pointer: Pointer): void {
    const cached = this.#objects.get(pointer.id)?.metadata;
    if (cached?.phase === "running") this.wrote(pointer, { ...cached, version: (cached.version ?? 0n) + 1n });
  }

  /** Resolves once there are contents. @throws the reason of the signal when that is aborted first. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#hasContents) return;
    const aborted = Promise.withResolvers<void>();
    const stop = () => aborted.resolve();
    signal.addEventListener("abort", stop, { once: true });
    if (!signal.aborted) await Promise.race([this.#first.promise, aborted.promise]);
    signal.removeEventListener("abort", stop);
    if (!this.#hasContents) signal.throwIfAborted();
  }

  /** Whether the object has a newer version than this cache can tell. */
  isBehind(id: string): boolean {
    return this.#ahead.has(id);
  }

  get(id: string): Resource | undefined {
    return this.#objects.get(id);
  }

  /** All objects sorted by id. `readAll` is asked when the watch does not come up with what this process wrote. */
  async list(
    query: Query,
    signal: AbortSignal,
    readAll: () => Promise<readonly Resource[]>,
  ): Promise<readonly Resource[]> {
    if (lacksPatterns(query)) await loadPatterns(query);
    const match = compileQuery(query);
    let all: readonly Resource[];
    if (this.#ahead.size > 0 && !await this.#catchUp(signal)) {
      all = await readAll();
      this.#settleBy(all);
    } else {
      if (this.#isStale) this.#refresh();
      all = this.#sorted;
    }
    return match === undefined ? all : Object.freeze(all.filter(match));
  }

  /** An object that came and went between two looks of the watch is never told of. */
  #settleBy(all: readonly Resource[]): void {
    const there = new Map(all.map(({ metadata }) => [metadata.id, metadata]));
    for (const id of this.#ahead.keys()) {
      const now = there.get(id), cached = this.#objects.get(id)?.metadata;
      const isKnown = now === undefined ? cached === undefined : cached !== undefined && !isOlder(cached, now);
      if (isKnown) this.#ahead.delete(id);
      else this.#ahead.set(id, now);
    }
    if (this.#ahead.size === 0) this.#caughtUp?.resolve();
  }

  /** Goes on from the last list, so that the sort has little to do. */
  #refresh(): void {
    const list: Resource[] = [];
    for (const { metadata: { id } } of this.#sorted) {
      const resource = this.#objects.get(id);
      if (resource !== undefined && !this.#added.has(id)) list.push(resource);
    }
    for (const id of this.#added) {
      const resource = this.#objects.get(id);
      if (resource !== undefined) list.push(resource);
    }
    if (this.#added.size > 0) list.sort(compareIds);
    this.#added.clear();
    this.#sorted = Object.freeze(list);
    this.#isStale = false;
  }

  async #catchUp(signal: AbortSignal): Promise<boolean> {
    this.#caughtUp ??= Promise.withResolvers<void>();
    const { promise } = this.#caughtUp;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, MAX_WAIT_MS);
    const stop = () => late.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([promise, late.promise]);
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    if (this.#ahead.size > 0) return false;
    this.#caughtUp = undefined;
    return true;
  }
}

function compareIds(a: Resource, b: Resource): number {
  return compareText(a.metadata.id, b.metadata.id);
}

/** Whether `a` is an earlier version than `b` of the same life of an object, or of a life before. */
function isOlder(a: Metadata, b: Metadata): boolean {
  const life = a.created.seconds - b.created.seconds || a.created.nanos - b.created.nanos;
  return life < 0 || life === 0 && (a.version ?? 0n) < (b.version ?? 0n);
}
