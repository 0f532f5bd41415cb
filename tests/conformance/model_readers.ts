import { ok, strictEqual } from "node:assert/strict";
import { OverrunError, type Resource, type Watch, type WatchEvent } from "../../mod/cosi/mod.ts";
import type { Thing } from "./state_fixture.ts";
import type { KindModel, ModelEvent } from "./state_model.ts";

/** Where a reader was; it may be continued from there. */
export interface Mark {
  readonly kind: number;
  readonly bookmark: Uint8Array;
  /** The first event behind it. */
  readonly index: number;
}

const isMark = ({ type }: WatchEvent) => type === "bootstrapped" || type === "noop";

function checkEvent(event: WatchEvent, expected: ModelEvent | undefined): void {
  const { resource: { metadata, spec }, old } = event;
  if (
    expected !== undefined && event.type === expected.type && metadata.id === expected.id &&
    metadata.version === BigInt(expected.version) && (spec as Thing).value === expected.value &&
    (expected.type === "updated" ? old?.metadata.version === BigInt(expected.old) : old === undefined)
  ) return;
  const seen = `${event.type} ${metadata.id}@${metadata.version} was @${old?.metadata.version}: ${event.error}`;
  throw new Error(`a reader saw ${seen} instead of ${JSON.stringify(expected)}`);
}

/** A reader that must see every event exactly once and in order, of one object or of all. */
export class LogReader {
  isOver = false;
  mark: Mark | undefined;
  readonly #kind: number;
  readonly #model: KindModel;
  readonly #watch: Watch;
  readonly #capacity: number;
  readonly #id: string | undefined;
  #index: number;
  /** Whether the next event is the one that every single watch starts with. */
  #isFirst: boolean;

  /** @param index of the first event that it must see. */
  constructor(watch: Watch, kind: number, model: KindModel, index: number, capacity: number, id?: string) {
    this.#watch = watch;
    this.#kind = kind;
    this.#model = model;
    this.#index = index;
    this.#capacity = capacity;
    this.#id = id;
    this.#isFirst = id !== undefined;
  }

  read(): void {
    const events = this.#watch.take();
    for (const event of events) {
      if (event.type === "errored") return this.#end(event.error);
      if (isMark(event)) continue;
      if (this.#isFirst) {
        this.#isFirst = false;
        continue;
      }
      const { log } = this.#model;
      while (this.#id !== undefined && log[this.#index]?.id !== this.#id && this.#index < log.length) this.#index++;
      checkEvent(event, log[this.#index++]);
    }
    const bookmark = events.at(-1)?.bookmark;
    if (bookmark !== undefined) this.mark = { kind: this.#kind, bookmark, index: this.#index };
  }

  /** A reader may only be dropped when it is behind by more than history holds. */
  #end(error: Error | undefined): void {
    ok(error instanceof OverrunError, String(error));
    ok(this.#model.log.length - this.#index > this.#capacity);
    this.isOver = true;
  }

  /** Everything that happened was seen. */
  finish(): void {
    this.read();
    if (this.#id !== undefined || this.isOver) return;
    strictEqual(this.#index, this.#model.log.length);
  }
}

/** A reader that knows only what it was told, and must then know what there is. */
export class MirrorReader {
  readonly isOver = false;
  readonly mark = undefined;
  readonly #watch: Watch;
  readonly #model: KindModel;
  readonly #sees: "all" | "latest";
  readonly #known = new Map<string, Resource>();
  restarts = 0;

  constructor(watch: Watch, model: KindModel, sees: "all" | "latest") {
    this.#sees = sees;
    this.#watch = watch;
    this.#model = model;
  }

  read(): void {
    for (const { type, resource, old, error } of this.#watch.take()) {
      const { id } = resource.metadata;
      const known = this.#known.get(id);
      if (type === "noop" && error instanceof OverrunError) {
        this.#known.clear();
        this.restarts++;
      } else if (type === "created" || type === "updated") {
        strictEqual(known === undefined, type === "created", `${type} of ${id}`);
        if (type === "updated") strictEqual(old, known);
        this.#known.set(id, resource);
      } else if (type === "destroyed") {
        ok(this.#known.delete(id) || this.#sees === "latest", `destroyed ${id}, which was not there`);
      } else ok(type === "bootstrapped", `${type}: ${error}`);
    }
  }

  finish(): void {
    this.check();
  }

  /** What it knows is what there is. */
  check(): void {
    this.read();
    strictEqual(this.#known.size, this.#model.objects.size);
    for (const [id, { metadata, spec }] of this.#known) {
      const object = this.#model.objects.get(id);
      ok(object !== undefined && metadata.version === BigInt(object.version) && (spec as Thing).value === object.value);
    }
  }
}
