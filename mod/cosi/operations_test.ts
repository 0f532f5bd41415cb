/** Derived operations on states that answer later, and on watches that break. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  FilteredState,
  MemoryState,
  modify,
  newResource,
  OverrunError,
  removeFinalizer,
  type Resource,
  teardownAndDestroy,
  teardownSignal,
  type Watch,
  watchFor,
  type WatchOptions,
  withSpec,
} from "./mod.ts";
import { at, Ints } from "./runtime_testbed.ts";

const place = at(Ints.type, "a");
const LOST = new Error("connection lost");

/** A state whose watches break at the first change. */
class BreakingState extends FilteredState {
  readonly #inner: MemoryState;

  constructor(inner: MemoryState) {
    super(inner, () => {});
    this.#inner = inner;
  }

  override async watch(pointer: typeof place, options: WatchOptions = {}): Promise<Watch> {
    const wake = () => {
      options.wake?.();
      throw LOST;
    };
    return await this.#inner.watch(pointer, { ...options, wake });
  }
}

async function broken(): Promise<{ inner: MemoryState; state: BreakingState }> {
  const inner = new MemoryState();
  await inner.create(newResource(Ints, "a", { value: 1 }));
  return { inner, state: new BreakingState(inner) };
}

const touch = (inner: MemoryState) => inner.updateNow(inner.getNow(place));

Deno.test("watchFor() and teardownAndDestroy() tell of a watch that broke (9.11, 2.21)", async () => {
  const { inner, state } = await broken();
  const waiting = watchFor(state, place, { types: ["destroyed"] });
  await new Promise((resolve) => setImmediate(resolve));
  touch(inner);
  await rejects(waiting, LOST);
  await addFinalizer(inner, place, "holder");
  const ending = teardownAndDestroy(state, place);
  await new Promise((resolve) => setImmediate(resolve));
  inner.updateNow(inner.getNow(place), { expectedPhase: "any" });
  await rejects(ending, LOST);
});

Deno.test("waits end with the reason of their signal (2.21)", async () => {
  const { inner } = await broken();
  await addFinalizer(inner, place, "holder");
  const stop = new AbortController();
  const waits = [
    watchFor(inner, place, { types: ["destroyed"] }, stop.signal),
    teardownAndDestroy(inner, place, {}, stop.signal),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort(LOST);
  for (const wait of waits) await rejects(wait, LOST);
  const signal = await teardownSignal(inner, at(Ints.type, "a"), stop.signal);
  strictEqual(signal.reason, LOST);
});

Deno.test("a signal of the end of an object is aborted by one that was made anew before anybody looked (2.23)", async () => {
  const inner = new MemoryState();
  await inner.create(newResource(Ints, "a", { value: 1 }));
  const waiting: (() => void)[] = [];
  class Late extends FilteredState {
    override async watch(pointer: typeof place, options: WatchOptions = {}): Promise<Watch> {
      return await inner.watch(pointer, { ...options, wake: () => void waiting.push(() => options.wake?.()) });
    }
  }
  const signal = await teardownSignal(new Late(inner, () => {}), place);
  const wake = () => waiting.splice(0).forEach((wake) => wake());
  touch(inner);
  wake();
  ok(!signal.aborted);
  inner.destroyNow(place);
  inner.createNow(newResource(Ints, "a", { value: 1 }));
  wake();
  ok(signal.aborted);
});

Deno.test("teardownAndDestroy() waits again when somebody takes hold in between (2.21)", async () => {
  const inner = new MemoryState();
  await inner.create(newResource(Ints, "a", { value: 1 }));
  let destroys = 0;
  const held = Promise.withResolvers<void>();
  class Racing extends FilteredState {
    override async destroy(...args: Parameters<FilteredState["destroy"]>) {
      if (++destroys === 1) await addFinalizer(inner, place, "late");
      if (destroys === 1) held.resolve();
      await super.destroy(...args);
    }
  }
  const ending = teardownAndDestroy(new Racing(inner, () => {}), place);
  await held.promise;
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  strictEqual(destroys, 1);
  await removeFinalizer(inner, place, "late");
  await ending;
  strictEqual(destroys, 2);
});

Deno.test("an overrun ends a wait too", async () => {
  const inner = new MemoryState({ initial: 2, max: 4, gap: 1 });
  await inner.create(newResource(Ints, "a", { value: 1 }));
  const waiting = watchFor(inner, place, { types: ["destroyed"] });
  for (let count = 0; count < 20; count++) touch(inner);
  await rejects(waiting, OverrunError);
});

Deno.test("modify() on a state that answers later takes a lost create race for a change (2.18, 9.9)", async () => {
  const inner = new MemoryState();
  let races = 1;
  class Racing extends FilteredState {
    override async create(...args: Parameters<FilteredState["create"]>) {
      if (races-- > 0) await inner.create(newResource(Ints, "a", { value: 10 }));
      return await super.create(...args);
    }
  }
  const seen: unknown[] = [];
  const change = (now: Resource | undefined) => {
    seen.push(now?.spec);
    return withSpec(now ?? newResource(Ints, "a", { value: 0 }), {
      value: ((now?.spec as { value: number })?.value ?? 0) + 1,
    });
  };
  const stored = await modify(new Racing(inner, () => {}), place, change);
  deepStrictEqual([stored.spec, stored.metadata.version, seen], [{ value: 11 }, 2n, [undefined, { value: 10 }]]);
});
