import { type Cell, compareCells, comparePlain } from "./cell.ts";
import { History, type HistoryOptions } from "./history.ts";
import { IdleList } from "./idle_list.ts";
import type { KeptCollection } from "./kept_collection.ts";
import { type BookmarkSource, MemoryEvent } from "./memory_event.ts";
import type { MemoryWatch } from "./memory_watch.ts";
import type { Kind } from "./metadata.ts";
import { mergeSorted, placeOf } from "./merge_sorted.ts";
import type { ObjectVersion } from "./object_history.ts";
import type { Resource } from "./resource.ts";
import type { EventType } from "./state.ts";
import { isPlainlyOrdered } from "./text_order.ts";
import type { Change } from "./transaction.ts";
import type { WakeTurn } from "./wake_turn.ts";

const NOTHING: readonly Resource[] = Object.freeze([]);
/** A writer that never lets others run hands its events on in batches of this many. */
const BATCH = 256;
/** Up to this many updates are put into a copy of the last list, instead of making a new one. */
const MAX_TOUCHED = 256;

/** All objects of one namespace and type, their history, and who watches them. */
export class Collection {
  readonly kind: Kind;
  readonly cells = new Map<string, Cell>();
  readonly history: History;

  readonly #bookmarks: BookmarkSource;
  readonly #turn: WakeTurn;
  readonly #batch: number;
  /** Cells sorted by id; some may be of destroyed objects. */
  #sorted: Cell[] = [];
  /** Cells created since `#sorted` was made. */
  #added: Cell[] = [];
  #hasGone = false;
  /** All ids compare as JavaScript compares them. */
  #isPlain = true;
  #list: readonly Resource[] | undefined = NOTHING;
  /** The last list, right but for the objects of `#touched`; undefined when more than that changed. */
  #base: readonly Resource[] | undefined;
  #touched: Cell[] = [];
  /** Watches with nothing pending: only these have to hear of an event. */
  readonly #idle = new IdleList();
  readonly #idleById = new Map<string, IdleList>();
  /** Coalescing watches with something pending, which must not lose it to the ring. */
  readonly #lagging = new Set<MemoryWatch>();
  #foldAt = Infinity;
  #isOffering = false;
  /** Position of the first event that waits for `release`; -1 when none do. */
  #holdFrom = -1;
  #deferred: MemoryWatch[] = [];
  #flushAt = Infinity;

  constructor(kind: Kind, bookmarks: BookmarkSource, turn: WakeTurn, history: HistoryOptions) {
    this.kind = kind;
    this.history = new History(history);
    this.#bookmarks = bookmarks;
    this.#turn = turn;
    this.#batch = Math.max(1, Math.min(BATCH, (history.max - history.gap) >> 1));
  }

  add(resource: Resource): void {
    const { id } = resource.metadata;
    const cell: Cell = { id, resource, position: this.history.written };
    this.cells.set(id, cell);
    this.#added.push(cell);
    this.#list = this.#base = undefined;
    this.#publish("created", resource, undefined);
  }

  replace(cell: Cell, resource: Resource): void {
    const old = cell.resource;
    cell.resource = resource;
    cell.position = this.history.written;
    this.#touch(cell);
    this.#publish("updated", resource, old);
  }

  remove(cell: Cell, resource: Resource): void {
    cell.resource = undefined;
    this.cells.delete(cell.id);
    this.#hasGone = true;
    this.#list = this.#base = undefined;
    this.#publish("destroyed", resource, undefined);
  }

  /** Stores a change that was checked. */
  apply({ type, resource }: Change): void {
    const cell = this.cells.get(resource.metadata.id);
    if (type === "created") this.add(resource);
    else if (cell !== undefined && type === "updated") this.replace(cell, resource);
    else if (cell !== undefined) this.remove(cell, resource);
  }

  restore({ written, events, objects }: KeptCollection, source: BookmarkSource): void {
    this.history.restore(
      events.map(({ type, resource, old, position }) => new MemoryEvent(type, resource, old, source, position)),
      written,
    );
    for (const { resource, position } of objects) {
      const cell: Cell = { id: resource.metadata.id, resource, position };
      this.cells.set(cell.id, cell);
      this.#added.push(cell);
    }
    if (this.#added.length > 0) this.#list = undefined;
  }

  /** The last changes of one object that history still holds, newest first. */
  versions(id: string, limit: number): readonly ObjectVersion[] {
    const found: ObjectVersion[] = [];
    const { history } = this;
    for (let at = history.written - 1; at >= history.oldest && found.length < limit; at--) {
      const event = history.at(at);
      if (event?.resource.metadata.id !== id) continue;
      found.push({ change: event.type as Change["type"], resource: event.resource });
    }
    return found;
  }

  #touch(cell: Cell): void {
    if (this.#list !== undefined) {
      this.#base = this.#list;
      this.#list = undefined;
      this.#touched = [];
    }
    if (this.#base === undefined) return;
    this.#touched.push(cell);
    if (this.#touched.length > MAX_TOUCHED) this.#base = undefined;
  }

  /** All objects sorted by id; the same array until something changes. */
  list(): readonly Resource[] {
    if (this.#list !== undefined) return this.#list;
    return this.#list = Object.freeze(this.#base === undefined ? this.#listAll() : this.#listTouched(this.#base));
  }

  #listAll(): Resource[] {
    if (this.#added.length > 0) this.#sort();
    const list: Resource[] = [];
    if (!this.#hasGone) {
      for (const { resource } of this.#sorted) if (resource !== undefined) list.push(resource);
      return list;
    }
    const kept: Cell[] = [];
    for (const cell of this.#sorted) {
      if (cell.resource === undefined) continue;
      kept.push(cell);
      list.push(cell.resource);
    }
    this.#sorted = kept;
    this.#hasGone = false;
    return list;
  }

  #listTouched(base: readonly Resource[]): Resource[] {
    const list = [...base]; // `slice` of a frozen array takes seven times as long
    const compare = this.#isPlain ? comparePlain : compareCells;
    for (const cell of this.#touched) {
      if (cell.resource !== undefined) list[placeOf(this.#sorted, cell, 0, compare)] = cell.resource;
    }
    return list;
  }

  /** Merges what was created since into the sorted cells: cheap when little changed. */
  #sort(): void {
    const added = this.#added.filter(({ resource }) => resource !== undefined);
    this.#isPlain &&= added.every(({ id }) => isPlainlyOrdered(id));
    this.#sorted = this.#isPlain
      ? mergeSorted(this.#sorted, this.#sortPlainly(added), comparePlain)
      : mergeSorted(this.#sorted, added.sort(compareCells), compareCells);
    this.#added = [];
  }

  /** The ids alone are sorted in half the time, because nothing is called to compare two of them. */
  #sortPlainly(cells: readonly Cell[]): Cell[] {
    const sorted: Cell[] = [];
    for (const id of cells.map(({ id }) => id).sort()) {
      const cell = this.cells.get(id);
      if (cell !== undefined) sorted.push(cell);
    }
    return sorted;
  }

  #publish(type: EventType, resource: Resource, old: Resource | undefined): void {
    const { history } = this;
    if (history.written >= this.#foldAt) this.#fold();
    const event = new MemoryEvent(type, resource, old, this.#bookmarks, history.written);
    history.push(event);
    if (this.#holdFrom >= 0 && history.written - this.#holdFrom >= this.#batch) {
      const from = this.#holdFrom;
      this.#holdFrom = history.written;
      this.#offerFrom(from); // so many that they would leave history unseen
      this.#isOffering = true;
    }
    if (!this.#isOffering && (this.#idle.size > 0 || this.#idleById.size > 0)) this.#offerFrom(event.position);
    if (history.written >= this.#flushAt) this.flush();
  }

  /** Lets events wait until `release`; answers false, and holds nothing, when somebody else will hand them on. */
  hold(): boolean {
    if (this.#isOffering) return false;
    this.#isOffering = true;
    this.#holdFrom = this.history.written;
    return true;
  }

  release(): void {
    const from = this.#holdFrom;
    this.#holdFrom = -1;
    this.#isOffering = false;
    if (this.#idle.size > 0 || this.#idleById.size > 0) this.#offerFrom(from);
  }

  /** A reader may write when it is woken; such events come after this one for everybody. */
  #offerFrom(position: number): void {
    this.#isOffering = true;
    for (let at = position; at < this.history.written; at++) {
      const event = this.history.at(at);
      if (event?.position !== at) continue;
      this.#idle.offer(event);
      if (this.#idleById.size === 0) continue;
      const { id } = event.resource.metadata;
      const watches = this.#idleById.get(id);
      watches?.offer(event);
      if (watches?.size === 0) this.#idleById.delete(id);
    }
    this.#isOffering = false;
  }

  /** Lists a watch with nothing pending, so that it hears of the next event. */
  rest(watch: MemoryWatch): void {
    if (watch.coalesce) this.#lagging.delete(watch);
    this.#idleOf(watch.id).add(watch);
  }

  #idleOf(id: string | undefined): IdleList {
    if (id === undefined) return this.#idle;
    let watches = this.#idleById.get(id);
    if (watches === undefined) this.#idleById.set(id, watches = new IdleList());
    return watches;
  }

  /** Keeps what a coalescing watch has pending from leaving history unseen. */
  guard(watch: MemoryWatch): void {
    this.#lagging.add(watch);
    this.#foldAt = Math.min(this.#foldAt, watch.position + this.history.capacity);
  }

  /** Ends a watch. */
  forget(watch: MemoryWatch, wasIdle: boolean): void {
    this.#lagging.delete(watch);
    if (!wasIdle) return;
    const watches = this.#idleOf(watch.id);
    watches.closed();
    if (watch.id !== undefined && watches.size === 0) this.#idleById.delete(watch.id);
  }

  #fold(): void {
    for (const watch of this.#lagging) watch.fold();
    this.#foldAt = this.#lagging.size === 0 ? Infinity : this.history.written + this.history.capacity;
  }

  /**
   * Whether a reader has to wait although something is pending: it was served in this turn, and less than a batch came
   * since. So a lone event is read at once, and a burst costs one read and not one an event.
   */
  defers(watch: MemoryWatch): boolean {
    const { number } = this.#turn;
    if (watch.turn !== number) {
      watch.turn = number;
      return false;
    }
    if (this.history.written - watch.position >= this.#batch) return false;
    if (this.#deferred.length === 0) {
      this.#flushAt = this.history.written + this.#batch;
      this.#turn.onEnd(this);
    }
    this.#deferred.push(watch);
    return true;
  }

  flush(): void {
    this.#flushAt = Infinity;
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const watch of deferred) watch.resume();
  }
}
