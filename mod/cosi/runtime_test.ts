import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  type Controller,
  defineController,
  exclusive,
  type Input,
  MemoryState,
  newResource,
  RegistrationError,
  type ResourceDefinition,
  Runtime,
  shared,
  type State,
  strong,
  weak,
} from "./mod.ts";
import { doubler, Doubles, type Int, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

Deno.test("Runtime starts and stops without controllers", async () => {
  await using _ = new Running(new MemoryState(), []);
});

Deno.test("100 changes while a controller is busy cause at most one more run (10.23)", async () => {
  const state = new MemoryState();
  const started = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
  let runs = 0;
  await using running = new Running(state, [
    defineController({
      name: "test.BusyController",
      inputs: [weak(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r) {
        runs++;
        started.resolve();
        await release.promise;
        await r.modify(Doubles, "runs", { value: (await r.list(Ints)).length });
      },
    }),
  ]);
  await started.promise;
  for (let id = 0; id < 100; id++) {
    await state.create(newResource(Ints, `${id}`, { value: id }));
  }
  release.resolve();
  await seen(state, Doubles.type, "runs", ({ value }) => value === 100);
  while (running.runtime.status()[0]?.state !== "idle") await new Promise((resolve) => setImmediate(resolve));
  strictEqual(runs, 2);
});

for (const kind of ["rejects", "throws"]) {
  Deno.test(`a controller that ${kind} is tried again and others go on`, async () => {
    const state = new MemoryState();
    let tries = 0;
    await using running = new Running(state, [
      defineController({
        name: "test.FailingController",
        inputs: [],
        outputs: [exclusive(Sums)],
        reconcile(r) {
          if (++tries < 4) {
            if (kind === "throws") throw new Error("not yet");
            return Promise.reject(new Error("not yet"));
          }
          return r.modify(Sums, "done", { value: tries }).then(() => {});
        },
      }),
      doubler(),
    ]);
    await state.create(newResource(Ints, "a", { value: 1 }));
    await seen(state, Sums.type, "done");
    await seen(state, Doubles.type, "a");
    const [status] = running.runtime.status();
    strictEqual(status?.restarts, 3);
    strictEqual(status.lastError, "not yet");
    strictEqual(status.runs, 4);
    strictEqual(running.lines.filter((line) => line.includes("not yet")).length, 3);
  });
}

Deno.test("register() refuses what does not fit and leaves nothing behind (3.24, 10.22)", () => {
  const runtime = new Runtime(new MemoryState());
  const make = (name: string, inputs: readonly Input[], outputs: Controller["outputs"]) =>
    defineController({ name, inputs, outputs, reconcile: () => Promise.resolve() });
  runtime.register(make("a", [], [exclusive(Sums)]));
  runtime.register(make("b", [], [shared(Doubles)]));
  runtime.register(make("c", [], [shared(Doubles)]));
  const bad = [
    make("a", [], []),
    make("d", [], [exclusive(Ints), exclusive(Sums)]),
    make("d", [], [exclusive(Ints), shared(Sums)]),
    make("d", [], [exclusive(Ints), exclusive(Doubles)]),
    make("d", [], [shared(Ints), shared(Ints)]),
    make("d", [weak(Ints), strong(Ints)], [exclusive(Ints)]),
  ];
  for (const controller of bad) throws(() => runtime.register(controller), RegistrationError);
  runtime.register(make("d", [strong(Doubles), weak(Ints, { id: "x" })], [exclusive(Ints)]));
  deepStrictEqual(runtime.dependencies().map((edge) => Object.values(edge).join(" ")), [
    "a outputExclusive  Sums.test.dev ",
    "d outputExclusive  Ints.test.dev ",
    "b outputShared  Doubles.test.dev ",
    "c outputShared  Doubles.test.dev ",
    "d inputStrong test Doubles.test.dev ",
    "d inputWeak test Ints.test.dev x",
  ]);
});

Deno.test("sources outside the state, queueReconcile and reconcileWithin wake a controller", async () => {
  const state = new MemoryState();
  const wakes = new Set<() => void>();
  let runs = 0;
  {
    await using _ = new Running(state, [
      defineController({
        name: "test.OutsideController",
        inputs: [],
        outputs: [exclusive(Sums)],
        wakeOn: [{
          subscribe(wake) {
            wakes.add(wake);
            return { [Symbol.dispose]: () => void wakes.delete(wake) };
          },
        }],
        async reconcile(r) {
          runs++;
          await r.modify(Sums, "runs", { value: runs });
          if (runs === 2) r.queueReconcile();
          if (runs === 3) {
            r.reconcileWithin(60_000);
            r.reconcileWithin(1);
          }
        },
      }),
    ]);
    await seen(state, Sums.type, "runs", ({ value }) => value === 1);
    for (const wake of wakes) wake();
    await seen(state, Sums.type, "runs", ({ value }) => value === 4);
    strictEqual(wakes.size, 1);
  }
  strictEqual(wakes.size, 0);
});

Deno.test("run() ends after the reconcile under way and the shutdowns, the last registered first (10.32)", async () => {
  const events: string[] = [];
  const make = (name: string) =>
    defineController({
      name,
      inputs: [],
      outputs: [],
      async reconcile(r) {
        await new Promise((resolve) => r.signal.addEventListener("abort", resolve));
        events.push(`${name} ran`);
        r.log("stopped");
      },
      shutdown() {
        events.push(`${name} shut`);
        if (name === "b") throw new Error("stuck");
      },
    });
  const running = new Running(new MemoryState(), [make("a"), make("b")]);
  await new Promise((resolve) => setImmediate(resolve));
  await running[Symbol.asyncDispose]();
  deepStrictEqual(events, ["a ran", "b ran", "b shut", "a shut"]);
  deepStrictEqual(running.lines, ["a info stopped", "b info stopped", "b error shutdown: stuck"]);
  throws(() => running.runtime.register(make("c")), RegistrationError);
});

Deno.test("a broken watch is opened again and loses nothing (9.1)", async () => {
  const state = new MemoryState();
  let opened = 0;
  const fragile: State = {
    get: (pointer) => state.get(pointer),
    list: (kind, query) => state.list(kind, query),
    create: (resource, options) => state.create(resource, options),
    update: (resource, options) => state.update(resource, options),
    destroy: (pointer, options) => state.destroy(pointer, options),
    teardown: (pointer, options) => state.teardown(pointer, options),
    watch: (pointer, options) => state.watch(pointer, options),
    watchKind(kind, options = {}) {
      opened++;
      if (opened === 2) return Promise.reject(new Error("no connection"));
      if (opened > 1) return state.watchKind(kind, options);
      return state.watchKind(kind, {
        ...options,
        wake() {
          options.wake?.();
          throw new Error("connection lost");
        },
      });
    },
  };
  await using running = new Running(fragile, [doubler()]);
  await new Promise((resolve) => setImmediate(resolve));
  await state.create(newResource(Ints, "a", { value: 1 }));
  await set(state, "a", 4);
  await seen(state, Doubles.type, "a", ({ value }) => value === 8);
  await state.create(newResource(Ints, "b", { value: 1 }));
  await seen(state, Doubles.type, "b");
  ok(running.lines.some((line) => line.includes("no connection")));
});

Deno.test("a controller hears of the end of what only its list has seen", async () => {
  const state = new MemoryState();
  const access = Promise.withResolvers<{ list(definition: typeof Ints): Promise<readonly unknown[]> }>();
  const listed = Promise.withResolvers<readonly unknown[]>();
  let runs = 0;
  await using _ = new Running(state, [
    defineController({
      name: "test.Lister",
      inputs: [weak(Ints)],
      outputs: [exclusive(Sums)],
      async reconcile(r) {
        access.resolve(r);
        const ints = ++runs === 1 ? await listed.promise : await r.list(Ints);
        await r.modify(Sums, "count", { value: ints.length });
      },
    }),
  ]);
  const r = await access.promise;
  state.createNow(newResource(Ints, "brief", { value: 1 }));
  listed.resolve(r.list(Ints));
  state.destroyNow({ namespace: "test", type: Ints.type, id: "brief" });
  await seen(state, Sums.type, "count", ({ value }) => value === 1);
  await seen(state, Sums.type, "count", ({ value }) => value === 0);
});

Deno.test("controllers that keep waking each other do not hold the event loop", async () => {
  const state = new MemoryState();
  const bounce = (name: string, from: ResourceDefinition<Int>, to: ResourceDefinition<Int>) =>
    defineController({
      name,
      inputs: [weak(from)],
      outputs: [exclusive(to)],
      async reconcile(r) {
        const input = await r.get(from, "ball");
        await r.modify(to, "ball", { value: (input?.spec.value ?? 0) + 1 });
      },
    });
  await using _ = new Running(state, [bounce("test.Ping", Ints, Doubles), bounce("test.Pong", Doubles, Ints)]);
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  const { spec } = await state.get({ namespace: "test", type: Ints.type, id: "ball" });
  ok((spec as Int).value > 10);
});
