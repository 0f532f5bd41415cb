import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  defineController,
  exclusive,
  FilteredState,
  MemoryState,
  newResource,
  type ResourceDefinition,
  type State,
  type Watch,
  type WatchEvent,
  type WatchKindOptions,
  weak,
} from "./mod.ts";
import { at, doubler, Doubles, gone, type Int, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

const KINDS = [Ints, Doubles].map(({ namespace, type }) => ({ namespace, type }));
const pass = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A state whose kind watches hear of everything later, when it is let through. */
class LateState extends FilteredState {
  readonly #inner: MemoryState;
  #isOpen = true;
  #waiting: (() => void)[] = [];
  /** Watches break at the next event. */
  isBroken = false;
  opened = 0;

  constructor(inner: MemoryState) {
    super(inner, () => {});
    this.#inner = inner;
  }

  hold(): void {
    this.#isOpen = false;
  }

  release(): void {
    this.#isOpen = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  override async watchKind(kind: { namespace: string; type: string }, options: WatchKindOptions = {}): Promise<Watch> {
    const late = () => {
      if (this.#isOpen) options.wake?.();
      else this.#waiting.push(() => options.wake?.());
      if (this.isBroken) throw new Error("connection lost");
    };
    this.opened++;
    const watch = await this.#inner.watchKind(kind, { ...options, wake: late });
    const take = (): readonly WatchEvent[] => this.#isOpen ? watch.take() : [];
    if (!this.#isOpen) this.#waiting.push(() => options.wake?.());
    return {
      take,
      [Symbol.dispose]: () => watch[Symbol.dispose](),
      [Symbol.asyncIterator]: () => watch[Symbol.asyncIterator](),
    };
  }
}

Deno.test("cached kinds are read from memory, filtered and uncounted, and others are not (3.35, 3-I)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "b", { value: 2 }));
  await state.create(newResource(Ints, "a", { value: 1 }));
  const views: string[] = [];
  await using running = new Running(state, [
    defineController({
      name: "test.Viewer",
      inputs: [weak(Ints)],
      outputs: [exclusive(Sums)],
      async reconcile(r) {
        const ids = (await r.list(Ints)).map(({ metadata }) => metadata.id).join("");
        const some = (await r.list(Ints, { id: "^a" })).length;
        const uncached = (await r.listUncached(Ints)).length;
        views.push(`${ids} ${some} ${uncached} ${(await r.get(Ints, "c"))?.spec.value}`);
        await r.modify(Sums, "views", { value: views.length });
      },
    }),
  ], { cached: KINDS });
  await seen(state, Sums.type, "views");
  deepStrictEqual(views, ["ab 1 2 undefined"]);
  const { reads } = running.runtime.status()[0] ?? {};
  strictEqual(reads, 2); // listUncached, and modify
  await state.create(newResource(Ints, "c", { value: 3 }));
  await seen(state, Sums.type, "views", ({ value }) => value === 2);
  strictEqual(views[1], "abc 1 3 3");
  const cached = running.runtime.cachedState();
  strictEqual((await cached.list(KINDS[0] ?? at("", ""))).length, 3);
  strictEqual(running.runtime.metrics().cached_resources.get(Ints.type), 3);
});

Deno.test("a controller is never woken before its cache knows why (3.37, 10.29)", async () => {
  const state = new MemoryState();
  await using _ = new Running(state, [doubler()], { cached: KINDS });
  for (let value = 1; value <= 200; value++) {
    if (value === 1) await state.create(newResource(Ints, "a", { value }));
    else await set(state, "a", value);
    await seen(state, Doubles.type, "a", (double) => double.value === value * 2);
  }
  await state.destroy(at(Ints.type, "a"));
  await gone(state, Doubles.type, "a");
});

Deno.test("reads of a cached kind wait for its bootstrap (3.36)", async () => {
  const inner = new MemoryState();
  await inner.create(newResource(Ints, "a", { value: 4 }));
  const state = new LateState(inner);
  state.hold();
  await using _ = new Running(state, [doubler()], { cached: KINDS });
  for (let turn = 0; turn < 3; turn++) await pass();
  strictEqual((await inner.list({ namespace: "test", type: Doubles.type })).length, 0);
  state.release();
  await seen(inner, Doubles.type, "a", ({ value }) => value === 8);
});

Deno.test("a runtime stops although its reads wait for a bootstrap", async () => {
  const state = new LateState(new MemoryState());
  state.hold();
  await using _ = new Running(state, [doubler()], { cached: KINDS });
  for (let turn = 0; turn < 3; turn++) await pass();
});

Deno.test("a controller reads what it wrote, although its cache is behind (9.14)", async () => {
  const inner = new MemoryState();
  const state = new LateState(inner);
  const views: unknown[] = [];
  const done = Promise.withResolvers<void>();
  await using _ = new Running(state, [
    defineController({
      name: "test.Reader",
      inputs: [weak(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r) {
        if (await r.get(Ints, "go") === undefined) return;
        await r.list(Doubles);
        state.hold();
        await r.modify(Doubles, "a", { value: 1 });
        views.push((await r.get(Doubles, "a"))?.spec.value);
        await r.modify(Doubles, "a", { value: 2 });
        views.push((await r.get(Doubles, "a"))?.spec.value);
        const listing = r.list(Doubles);
        state.release();
        views.push((await listing).map(({ spec }) => spec.value));
        await r.destroy(Doubles, "a");
        views.push(await r.get(Doubles, "a"), (await r.list(Doubles)).length);
        done.resolve();
      },
    }),
  ], { cached: KINDS });
  await pass();
  await inner.create(newResource(Ints, "go", { value: 1 }));
  await done.promise;
  deepStrictEqual(views, [1, 2, [2], undefined, 0]);
});

Deno.test("a list does not wait for what came and went unseen", async () => {
  const inner = new MemoryState();
  const state = new LateState(inner);
  await using running = new Running(state, [], { cached: KINDS });
  const cached = running.runtime.cachedState();
  const kind = { namespace: Ints.namespace, type: Ints.type };
  strictEqual((await cached.list(kind)).length, 0);
  state.hold();
  await cached.create(newResource(Ints, "a", { value: 1 }));
  inner.destroyNow(at(Ints.type, "a"));
  strictEqual((await cached.list(kind)).length, 0);
  const start = performance.now();
  strictEqual((await cached.list(kind)).length, 0);
  ok(performance.now() - start < 50);
  state.release();
});

Deno.test("a cache outlives a broken watch (9.1)", async () => {
  const inner = new MemoryState();
  let isBroken = false;
  class Fragile extends FilteredState {
    override async watchKind(kind: { namespace: string; type: string }, options: WatchKindOptions = {}) {
      return await inner.watchKind(kind, {
        ...options,
        wake() {
          options.wake?.();
          if (isBroken) throw new Error("connection lost");
        },
      });
    }
  }
  const state: State = new Fragile(inner, () => {});
  await using _ = new Running(state, [doubler()], { cached: KINDS });
  await inner.create(newResource(Ints, "a", { value: 1 }));
  await inner.create(newResource(Ints, "b", { value: 1 }));
  await seen(inner, Doubles.type, "b");
  isBroken = true;
  await inner.destroy(at(Ints.type, "a"));
  isBroken = false;
  await set(inner, "b", 5);
  await seen(inner, Doubles.type, "b", ({ value }) => value === 10);
  await gone(inner, Doubles.type, "a");
});

Deno.test("who is woken after a broken watch reads what it missed, however late it comes (9.1, 3.37)", async () => {
  const inner = new MemoryState();
  const state = new LateState(inner);
  const runtime = { cached: [{ namespace: Ints.namespace, type: Ints.type }] };
  await using running = new Running(state, [doubler()], runtime);
  await inner.create(newResource(Ints, "a", { value: 1 }));
  await seen(inner, Doubles.type, "a");
  state.isBroken = true;
  await set(inner, "a", 5);
  while (!running.lines.some((line) => line.includes("connection lost"))) await pass();
  state.isBroken = false;
  state.hold();
  const { opened } = state;
  while (state.opened === opened) await pass();
  for (let turn = 0; turn < 3; turn++) await pass();
  state.release();
  await seen(inner, Doubles.type, "a", ({ value }) => value === 10);
});

Deno.test("signals of the end of cached objects open no watch, and one an object otherwise (3.40, 2.23)", async () => {
  for (const cached of [[], KINDS]) {
    const inner = new MemoryState();
    let watches = 0;
    const state = new FilteredState(inner, (_namespace, _type, id, verb) => void (verb === "watch" && id && watches++));
    const ends: string[] = [];
    const ready = Promise.withResolvers<void>();
    for (const id of ["torn", "destroyed", "remade", "kept"]) await inner.create(newResource(Ints, id, { value: 1 }));
    const stopped: AbortSignal[] = [];
    {
      await using running = new Running(state, [
        defineController({
          name: "test.Signals",
          inputs: [weak(Ints)],
          outputs: [],
          async reconcile(r) {
            for (const id of ["torn", "destroyed", "remade", "kept", "missing"]) {
              for (let time = 0; time < 3; time++) {
                const signal = await r.teardownSignal(Ints, id);
                if (id === "kept") stopped.push(signal);
                if (signal.aborted) ends.push(id);
                else if (time === 0) signal.addEventListener("abort", () => ends.push(id), { once: true });
              }
            }
            ready.resolve();
            await new Promise((resolve) => r.signal.addEventListener("abort", resolve, { once: true }));
          },
        }),
      ], { cached });
      await ready.promise;
      deepStrictEqual(ends.splice(0), ["missing", "missing", "missing"]);
      strictEqual(watches, cached.length === 0 ? 7 : 0); // one an object, and each time for what is not there
      strictEqual(running.runtime.status()[0]?.reads, watches);
      await inner.teardown(at(Ints.type, "torn"));
      await inner.destroy(at(Ints.type, "destroyed"));
      inner.updateNow(inner.getNow(at(Ints.type, "remade")));
      await pass();
      inner.destroyNow(at(Ints.type, "remade")); // and made anew in the same turn
      inner.createNow(newResource(Ints, "remade", { value: 1 }));
      for (let turn = 0; turn < 3; turn++) await pass();
      deepStrictEqual(ends.splice(0), ["torn", "destroyed", "remade"]);
    }
    deepStrictEqual([ends, stopped.every(({ aborted }) => aborted)], [["kept"], true]);
  }
});

Deno.test("each controller has its own rate of writes (3.41)", async () => {
  const state = new MemoryState();
  const ends = new Map<string, number>();
  const writer = (name: string, count: number, to: ResourceDefinition<Int>) =>
    defineController({
      name,
      inputs: [],
      outputs: [exclusive(to)],
      async reconcile(r) {
        const start = performance.now();
        for (let id = 0; id < count; id++) await r.modify(to, `${id}`, { value: id });
        for (let id = 0; id < count; id++) await r.modify(to, `${id}`, { value: id }); // equal: needs no token
        ends.set(name, performance.now() - start);
        await r.modify(to, "done", { value: 1 });
      },
    });
  const [busy, quick] = [writer("test.Busy", 15, Doubles), writer("test.Quick", 8, Sums)];
  await using _ = new Running(state, [busy, quick], { rateLimit: { perSecond: 50, burst: 10 } });
  await seen(state, Sums.type, "done");
  ok((ends.get("test.Quick") ?? Infinity) < 100);
  await seen(state, Doubles.type, "done");
  const tookMs = ends.get("test.Busy") ?? 0;
  ok(tookMs >= 95 && tookMs < 400, `${tookMs}`);
});

Deno.test("a cache lists what the state lists, whatever came and went", async () => {
  const state = new MemoryState();
  const kind = { namespace: Ints.namespace, type: Ints.type };
  await using running = new Running(state, [], { cached: KINDS });
  const cached = running.runtime.cachedState();
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let step = 0; step < 2000; step++) {
    const id = `${random(30)}`;
    const current = state.findNow(kind.namespace, kind.type, id);
    if (current === undefined) state.createNow(newResource(Ints, id, { value: step }));
    else if (random(3) === 0) state.destroyNow(current.metadata);
    else state.updateNow({ metadata: current.metadata, spec: { value: step } });
    if (random(4) > 0) continue;
    await pass();
    deepStrictEqual(await cached.list(kind), state.listNow(kind));
    deepStrictEqual(await cached.list(kind, { id: "1" }), state.listNow(kind, { id: "1" }));
  }
});
