/**
 * Random operations of eight writers against a plain model. MODEL_OPERATIONS sets how many; TEST_SEED repeats a run.
 */
import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import {
  changeMetadata,
  ConflictError,
  type Kind,
  MemoryState,
  NotFoundError,
  type Resource,
  type State,
  type Transaction,
  type TransactionalState,
  type Watch,
} from "../../mod/cosi/mod.ts";
import { LogReader, type Mark, MirrorReader } from "./model_readers.ts";
import { numberOf, SeededRandom, testSeed } from "./seeded_random.ts";
import { StoreFolder } from "./sqlite_store.ts";
import { KIND, type Thing, thing } from "./state_fixture.ts";
import { type Operation, type Outcome, StateModel } from "./state_model.ts";

const WRITERS = 8, KINDS = 3, IDS = 40;
const HISTORY = { initial: 4, max: 512, gap: 4 };
const OWNERS = ["", "one", "two"] as const;
const kindOf = (kind: number): Kind => ({ ...KIND, namespace: `space-${kind}` });

function resourceOf(kind: number, id: string, fields: Parameters<typeof changeMetadata>[1], value: number): Resource {
  const { metadata, spec } = thing(id, value);
  return { metadata: changeMetadata({ ...metadata, ...kindOf(kind) }, fields), spec };
}

/** Makes operations that often, but not always, fit what is there. */
class Writer {
  readonly #random: SeededRandom;
  readonly #model: StateModel;

  constructor(random: SeededRandom, model: StateModel) {
    this.#random = random;
    this.#model = model;
  }

  #pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.#random.below(list.length)] ?? list[0];
  }

  next(): Operation {
    const random = this.#random;
    if (random.below(12) > 0) return this.#one();
    return { do: "all", kind: 0, steps: Array.from({ length: 1 + random.below(4) }, () => this.#one()) };
  }

  #one(): Operation {
    const random = this.#random;
    const kind = random.below(KINDS), id = `${random.below(IDS)}`, value = random.below(1e6);
    const stored = this.#model.kind(kind).objects.get(id);
    const owner = stored === undefined || random.below(20) === 0 ? this.#pick(OWNERS) : stored.owner;
    if (stored === undefined || random.below(20) === 0) return { do: "create", kind, id, owner, value };
    const what = random.below(10);
    if (what === 0) return { do: "destroy", kind, id, owner };
    if (what === 1) return { do: "teardown", kind, id, owner };
    return {
      ...{ do: "update", kind, id, owner, value } as const,
      version: random.below(15) === 0 ? stored.version + this.#pick([-1, 1]) : stored.version,
      expected: random.below(10) === 0 ? this.#pick(["running", "tearingDown"]) : "any",
      phase: random.below(10) === 0 ? this.#pick(["running", "tearingDown"]) : stored.phase,
      finalizers: random.below(6) === 0 ? this.#pick([[], ["f"], ["f", "g"]]) : stored.finalizers,
    };
  }
}

type Target = Pick<Transaction, "create" | "update" | "destroy" | "teardown"> | State;

function run(target: Target, operation: Operation): unknown {
  if (operation.do === "all") {
    return (target as TransactionalState).transact((tx) => operation.steps.map((step) => run(tx, step)));
  }
  const { kind, id, owner } = operation;
  if (operation.do === "create") return target.create(resourceOf(kind, id, {}, operation.value), { owner });
  if (operation.do === "destroy") return target.destroy({ ...kindOf(kind), id }, { owner });
  if (operation.do === "teardown") return target.teardown({ ...kindOf(kind), id }, { owner });
  const { version, phase, finalizers, expected, value } = operation;
  const resource = resourceOf(kind, id, { version: BigInt(version), phase, finalizers }, value);
  return target.update(resource, { owner, expectedPhase: expected });
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof NotFoundError) return "missing";
  if (error instanceof ConflictError) return error.reason;
  throw error;
}

interface Reader {
  readonly isOver: boolean;
  readonly mark: Mark | undefined;
  read(): void;
  finish(): void;
}

/** Opens readers of all sorts, reads them now and then, and goes on from their bookmarks. */
class Audience {
  restarts = 0;
  continued = 0;
  refused = 0;
  readonly #state: MemoryState;
  readonly #model: StateModel;
  readonly #random: SeededRandom;
  readonly #marks: Mark[] = [];
  #readers: Reader[] = [];

  constructor(state: MemoryState, model: StateModel, random: SeededRandom) {
    this.#state = state;
    this.#model = model;
    this.#random = random;
  }

  /** One more reader, of a random sort. */
  open(): void {
    const kind = this.#random.below(KINDS), model = this.#model.kind(kind), place = kindOf(kind);
    const log = (watch: ReturnType<MemoryState["watchKindNow"]>, index: number, id?: string) =>
      new LogReader(watch, kind, model, index, HISTORY.max, id);
    const { length } = model.log;
    const sort = this.#random.below(6);
    if (sort === 0) return this.#continue();
    if (sort === 1) {
      const tailEvents = this.#random.below(Math.min(length, HISTORY.max - HISTORY.gap) + 1);
      this.#readers.push(log(this.#state.watchKindNow(place, { tailEvents }), length - tailEvents));
    } else if (sort === 2) {
      const id = `${this.#random.below(IDS)}`;
      this.#readers.push(log(this.#state.watchNow({ ...place, id }), length, id));
    } else if (sort === 3) {
      this.#readers.push(log(this.#state.watchKindNow(place, { bootstrapBookmark: true }), length));
    } else {
      const options = { bootstrapContents: true, ...(sort === 4 ? { coalesce: true } : { resync: true }) };
      const watch = this.#state.watchKindNow(place, options);
      this.#readers.push(new MirrorReader(watch, model, sort === 4 ? "latest" : "all"));
    }
  }

  /** From a bookmark on, unless it left history. */
  #continue(): void {
    const mark = this.#marks[this.#random.below(Math.max(1, this.#marks.length))];
    if (mark === undefined) return;
    const model = this.#model.kind(mark.kind);
    const isKept = model.log.length - (mark.index - 1) <= HISTORY.max - HISTORY.gap;
    try {
      const watch = this.#state.watchKindNow(kindOf(mark.kind), { startFromBookmark: mark.bookmark });
      ok(isKept);
      this.#readers.push(new LogReader(watch, mark.kind, model, mark.index, HISTORY.max));
      this.continued++;
    } catch (error) {
      if (isKept) throw error;
      this.refused++;
    }
  }

  read(): void {
    for (const reader of this.#readers) {
      if (this.#random.below(4) > 0) continue;
      reader.read();
      if (reader.mark !== undefined) this.#keep(reader.mark);
      if (reader instanceof MirrorReader) reader.check();
    }
    this.#readers = this.#readers.filter(({ isOver }) => !isOver);
    while (this.#readers.length > 24) this.#drop(this.#readers.shift());
    this.open();
  }

  /** Remembers a few marks, of which new ones push out others at random. */
  #keep(mark: Mark): void {
    if (this.#marks.length < 16) this.#marks.push(mark);
    else this.#marks[this.#random.below(16)] = mark;
  }

  #drop(reader: Reader | undefined): void {
    reader?.finish();
    if (reader instanceof MirrorReader) this.restarts += reader.restarts;
  }

  finish(): void {
    for (const reader of this.#readers) this.#drop(reader);
  }
}

async function write(state: State, model: StateModel, writer: Writer, count: number): Promise<number> {
  let done = 0;
  for (let turn = 0; turn < count; turn++) {
    const operation = writer.next();
    const expected = model.apply(operation);
    let outcome: Outcome = "ok";
    try {
      await run(state, operation);
      done++;
    } catch (error) {
      outcome = outcomeOf(error);
    }
    if (outcome !== expected) fail(`${JSON.stringify(operation)} ended with ${outcome} instead of ${expected}`);
  }
  return done;
}

async function checkAll(state: State, model: StateModel): Promise<void> {
  for (const [number, { objects }] of model.kinds.entries()) {
    const list = await state.list(kindOf(number));
    const found = list.map(({ metadata: { id, version, owner, phase, finalizers }, spec }) => [
      id,
      { version: Number(version), owner, phase, finalizers: [...finalizers], value: (spec as Thing).value },
    ]);
    deepStrictEqual(found, [...objects].sort(([a], [b]) => a < b ? -1 : 1));
  }
}

Deno.test("MemoryState does what the model does, and its readers miss and double nothing", async () => {
  const count = numberOf("MODEL_OPERATIONS", 1_000_000);
  const random = new SeededRandom(testSeed("model"));
  const model = new StateModel(KINDS);
  const state = new MemoryState(HISTORY);
  const audience = new Audience(state, model, random);
  const round = 80;
  let done = 0, left = count;
  while (left > 0) {
    const each = Math.min(Math.ceil(left / WRITERS), 1 + random.below(round));
    const writers = Array.from({ length: WRITERS }, () => write(state, model, new Writer(random, model), each));
    done += (await Promise.all(writers)).reduce((sum, one) => sum + one, 0);
    left -= each * WRITERS;
    audience.read();
  }
  audience.finish();
  await checkAll(state, model);
  const { restarts, continued, refused } = audience;
  console.log(
    `${done} of ${count} succeeded; ${continued} bookmarks went on, ${refused} were too old, ${restarts} restarts`,
  );
  if (count >= 100_000) ok(continued > 0 && refused > 0 && restarts > 0);
});

Deno.test("SqliteState does what the model does, over restarts", async () => {
  const count = Math.ceil(numberOf("MODEL_OPERATIONS", 1_000_000) / 50);
  const random = new SeededRandom(testSeed("model on disk"));
  const model = new StateModel(KINDS);
  await using folder = new StoreFolder();
  const marks: Mark[] = [];
  const log = model.kind(1);
  for (let left = count; left > 0;) {
    const max = [64, 512, 1024, 3000][random.below(4)] ?? 64; // more or less than before
    await using state = await folder.open({ history: { ...HISTORY, max } });
    const each = Math.min(Math.ceil(left / 64), 1 + random.below(40));
    const readers: LogReader[] = [];
    const wake = () => readers[0]?.read();
    const mark = marks[random.below(3)];
    let watch: Watch;
    try {
      watch = await state.watchKind(kindOf(1), { wake, ...mark && { startFromBookmark: mark.bookmark } });
    } catch (error) {
      ok(mark !== undefined && log.log.length - mark.index > Math.min(max - HISTORY.gap, 1000), String(error));
      continue;
    }
    using _ = watch;
    const reader = new LogReader(watch, 1, log, mark?.index ?? log.log.length, Infinity);
    readers.push(reader);
    reader.read();
    await Promise.all(Array.from({ length: 64 }, () => write(state, model, new Writer(random, model), each)));
    reader.finish();
    using last = await state.watchKind(kindOf(1), { bootstrapBookmark: true });
    const bookmark = last.take()[0]?.bookmark;
    ok(bookmark !== undefined);
    marks.unshift({ kind: 1, bookmark, index: log.log.length });
    left -= each * 64;
    await checkAll(state, model);
  }
  strictEqual(folder.damages.length, 0);
});
