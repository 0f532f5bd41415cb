import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  ConflictError,
  defineResource,
  type Kind,
  newResource,
  type Pointer,
  type Resource,
  type State,
  updateWithConflicts,
  type Watch,
  type WatchEvent,
  withSpec,
} from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** One row of the suite: what it shows, the clauses of cosi.md it covers, and how. Each gets a fresh state. */
export interface StateTest {
  readonly name: string;
  readonly clauses: readonly string[];
  run(state: State): Promise<void>;
}

/** The spec of the suite's objects. */
export interface Thing {
  readonly value: number;
}

/** The suite's only type; an implementation that decodes has to know it. */
export const Things = defineResource<Thing>()({
  type: "Things.conformance.dev",
  namespace: "default",
  fields: { value: field.int32(1) },
});

export const KIND: Kind = { namespace: Things.namespace, type: Things.type };

export function at(id: string): Pointer {
  return { ...KIND, id };
}

export function thing(id: string, value = 0, labels: Readonly<Record<string, string>> = {}): Resource<Thing> {
  return newResource(Things, id, { value }, { labels: new Map(Object.entries(labels)) });
}

/** Writes the object once more, as whoever owns it and in whatever phase. */
export async function touch(state: State, id: string, value = 1): Promise<Resource> {
  const { owner } = (await state.get(at(id))).metadata;
  return await updateWithConflicts(
    state,
    at(id),
    (current) => withSpec(current, { value: (current.spec as Thing).value + value }),
    { owner, expectedPhase: "any" },
  );
}

export async function idsOf(list: Promise<readonly Resource[]>): Promise<string[]> {
  return (await list).map(({ metadata }) => metadata.id);
}

/** Refusal as a conflict that names its object (clauses 2.7, 9.5). */
export async function refused(work: Promise<unknown>, reason: ConflictError["reason"], id = "a"): Promise<void> {
  await rejects(work, (error: Error) => {
    strictEqual(error instanceof ConflictError, true, String(error));
    const { reason: given, pointer } = error as ConflictError;
    strictEqual(given, reason);
    strictEqual(pointer.id, id);
    strictEqual(pointer.type, KIND.type);
    return true;
  });
}

/** `created a@1`, and `+` behind it when there is an old object, `~` when there is no bookmark. */
export function eventText({ type, resource: { metadata }, old, bookmark }: WatchEvent): string {
  const before = old === undefined ? "" : ` was @${old.metadata.version}`;
  return `${type} ${metadata.id}@${metadata.version}${before}${bookmark === undefined ? " ~" : ""}`;
}

/** Reads a watch event by event. */
export class Reader implements Disposable {
  readonly #watch: Watch;
  readonly #batches: AsyncIterator<readonly WatchEvent[]>;
  #pending: WatchEvent[] = [];

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#batches = watch[Symbol.asyncIterator]();
  }

  async next(): Promise<WatchEvent> {
    while (true) {
      const event = this.#pending.shift();
      if (event !== undefined) return event;
      const batch = await this.#batches.next();
      if (batch.done) throw new Error("the watch ended");
      this.#pending = [...batch.value];
    }
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** The next events are these and, as far as they were sent, no others between them. */
  async expect(...texts: string[]): Promise<WatchEvent[]> {
    const events = await this.take(texts.length);
    deepStrictEqual(events.map(eventText), texts);
    return events;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}
