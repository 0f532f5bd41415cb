import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { field } from "../schema/mod.ts";
import {
  type Access,
  AccessError,
  addFinalizer,
  type Controller,
  defineController,
  defineResource,
  destroyReady,
  exclusive,
  type Input,
  MemoryState,
  newResource,
  RegistrationError,
  removeFinalizer,
  type Resource,
  Runtime,
  type RuntimeOptions,
  shared,
  type State,
  strong,
  updateWithConflicts,
  watchFor,
  weak,
  withSpec,
} from "./mod.ts";

interface Int {
  value: number;
}
const fields = { value: field.int32(1) };
const Ints = defineResource<Int>()({ type: "Ints.test.dev", namespace: "test", fields });
const Doubles = defineResource<Int>()({ type: "Doubles.test.dev", namespace: "test", fields });
const Sums = defineResource<Int>()({ type: "Sums.test.dev", namespace: "test", fields });
const at = (type: string, id: string) => ({ namespace: "test", type, id });

class Running implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly runtime: Runtime;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  constructor(state: State, controllers: readonly Controller[], options: RuntimeOptions = {}) {
    this.runtime = new Runtime(state, {
      log: (name, level, message) => void this.lines.push(`${name} ${level} ${message}`),
      backoff: { firstMs: 1, maxMs: 5 },
      ...options,
    });
    for (const controller of controllers) this.runtime.register(controller);
    this.#ended = this.runtime.run(this.#stop.signal);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

/** The next state of the object that meets the condition. */
function seen(state: State, type: string, id: string, condition: (spec: Int) => boolean = () => true) {
  return watchFor(state, at(type, id), {
    types: ["created", "updated"],
    condition: (resource: Resource) => condition(resource.spec as Int),
  });
}
const gone = (state: State, type: string, id: string) => watchFor(state, at(type, id), { types: ["destroyed"] });

function set(state: State, id: string, value: number): Promise<Resource> {
  return updateWithConflicts(state, at(Ints.type, id), (current) => withSpec(current, { value }));
}

const doubler = () =>
  defineController({
    name: "test.DoublerController",
    inputs: [weak(Ints)],
    outputs: [exclusive(Doubles)],
    async reconcile(r) {
      const ints = await r.list(Ints);
      await r.sync(Doubles, ints.map(({ metadata: { id }, spec }) => ({ id, spec: { value: spec.value * 2 } })));
    },
  });

const summer = () =>
  defineController({
    name: "test.SumController",
    inputs: [weak(Doubles)],
    outputs: [exclusive(Sums)],
    async reconcile(r) {
      const doubles = await r.list(Doubles);
      await r.modify(Sums, "sum", { value: doubles.reduce((sum, { spec }) => sum + spec.value, 0) });
    },
  });

Deno.test("Runtime starts and stops without controllers", async () => {
  await using _ = new Running(new MemoryState(), []);
});

Deno.test("a chain of controllers follows what was there before and what comes after the start", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "a", { value: 1 }));
  await using running = new Running(state, [doubler()]);
  running.runtime.register(summer());
  await seen(state, Sums.type, "sum", ({ value }) => value === 2);
  await state.create(newResource(Ints, "b", { value: 5 }));
  await seen(state, Sums.type, "sum", ({ value }) => value === 12);
  await state.destroy(at(Ints.type, "b"));
  const sum = await seen(state, Sums.type, "sum", ({ value }) => value === 2);
  strictEqual(sum.metadata.owner, "test.SumController");
  await gone(state, Doubles.type, "b");
});

Deno.test("100 changes while a controller is busy cause at most one more run (10.23)", async () => {
  const state = new MemoryState();
  const started = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
  let runs = 0;
  await using _ = new Running(state, [
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
  await new Promise((resolve) => setImmediate(resolve));
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

Deno.test("undeclared access is refused at run time with the names of both sides (10.21)", async () => {
  const state = new MemoryState();
  const errors: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const sneaky = defineController({
    name: "test.SneakyController",
    inputs: [weak(Ints), weak(Doubles, { id: "one" })],
    outputs: [],
    async reconcile(access) {
      const r = access as unknown as Access<readonly Input[], readonly [ReturnType<typeof shared>]>;
      for (
        const attempt of [
          () => r.get(Sums, "x"),
          () => r.get(Ints, "x", { namespace: "elsewhere" }),
          () => r.list(Doubles),
          () => r.get(Doubles, "two"),
          () => r.modify(Ints, "x", { value: 1 } as never),
          () => r.sync(Ints, []),
          () => r.destroy(Ints, "x"),
          () => r.teardown(Ints, "x"),
          () => r.addFinalizer(Ints as never, "x"),
        ]
      ) await attempt().catch((error) => errors.push(error));
      await r.get(Doubles, "one");
      done.resolve();
    },
  });
  await using _ = new Running(state, [sneaky]);
  await done.promise;
  strictEqual(errors.length, 9);
  ok(errors.every((error) => error instanceof AccessError && error.message.includes("test.SneakyController")));
  ok(String(errors[0]).includes("Sums.test.dev(test/x)"));
});

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

Deno.test("sync tears down what others hold, and makes anew what is wanted again meanwhile", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "a", { value: 1 }));
  await using _ = new Running(state, [doubler()]);
  await seen(state, Doubles.type, "a");
  await addFinalizer(state, at(Doubles.type, "a"), "holder");
  await state.destroy(at(Ints.type, "a"));
  await watchFor(state, at(Doubles.type, "a"), { phases: ["tearingDown"] });
  await state.create(newResource(Ints, "a", { value: 7 }));
  await removeFinalizer(state, at(Doubles.type, "a"), "holder");
  const anew = await seen(state, Doubles.type, "a", ({ value }) => value === 14);
  strictEqual(anew.metadata.version, 1n);
  strictEqual(anew.metadata.phase, "running");
});

Deno.test("sync leaves foreign objects alone and reports one that is in the way", async () => {
  const state = new MemoryState();
  await state.create(newResource(Doubles, "foreign", { value: 3 }), { owner: "other" });
  await state.create(newResource(Doubles, "a", { value: 3 }), { owner: "other" });
  await state.create(newResource(Ints, "a", { value: 1 }));
  await state.create(newResource(Ints, "b", { value: 1 }));
  await using running = new Running(state, [doubler()]);
  await seen(state, Doubles.type, "b");
  await seen(state, Doubles.type, "foreign");
  strictEqual(running.runtime.status()[0]?.lastError, `Cannot write Doubles.test.dev(test/a): it is owned by "other"`);
});

Deno.test("cleanupOutputs destroys own objects that were not written, in every namespace written to (10.30)", async () => {
  const state = new MemoryState();
  let turn = 0;
  await using running = new Running(state, [
    defineController({
      name: "test.TrackingController",
      inputs: [weak(Ints)],
      outputs: [shared(Doubles)],
      async reconcile(r) {
        turn++;
        r.startTrackingOutputs();
        if (turn === 1) await r.modify(Doubles, "old", { value: 1 });
        if (turn === 1) await r.modify(Doubles, "old", { value: 1 }, { namespace: "elsewhere" });
        await r.modify(Doubles, "kept", { value: turn });
        await r.cleanupOutputs(Doubles);
      },
    }),
  ]);
  await state.create(newResource(Doubles, "foreign", { value: 1 }), { owner: "other" });
  await seen(state, Doubles.type, "kept");
  await state.create(newResource(Ints, "go", { value: 1 }));
  await gone(state, Doubles.type, "old");
  await gone(state, Doubles.type, "old");
  await watchFor(state, { namespace: "elsewhere", type: Doubles.type, id: "old" }, { types: ["destroyed"] });
  await seen(state, Doubles.type, "foreign");
  deepStrictEqual(running.lines, []);
});

Deno.test("a destroyReady input wakes only when the object can go (3.21)", async () => {
  const state = new MemoryState();
  let runs = 0;
  await using _ = new Running(state, [
    defineController({
      name: "test.ReaperController",
      inputs: [destroyReady(Ints)],
      outputs: [shared(Ints)],
      async reconcile(r) {
        runs++;
        for (const { metadata } of await r.list(Ints)) {
          if (metadata.phase === "tearingDown" && metadata.finalizers.length === 0) await r.destroy(Ints, metadata.id);
        }
      },
    }),
  ]);
  const owner = "test.ReaperController";
  await state.create(newResource(Ints, "a", { value: 1 }), { owner });
  await addFinalizer(state, at(Ints.type, "a"), "holder");
  await state.teardown(at(Ints.type, "a"), { owner });
  await new Promise((resolve) => setImmediate(resolve));
  strictEqual(runs, 1);
  await removeFinalizer(state, at(Ints.type, "a"), "holder");
  await gone(state, Ints.type, "a");
});

Deno.test("inputs can be replaced while running (3.25, 10.31)", async () => {
  const state = new MemoryState();
  const values: number[] = [];
  const ready = Promise.withResolvers<void>();
  await using running = new Running(state, [
    defineController({
      name: "test.LateController",
      inputs: [weak(Sums)],
      outputs: [exclusive(Doubles)],
      async reconcile(access) {
        const r = access as unknown as Access<readonly [ReturnType<typeof weak<typeof Ints>>], readonly []>;
        if (values.length === 0) await r.updateInputs([weak(Ints)]);
        const ints = await r.list(Ints);
        values.push(ints.length);
        await access.modify(Doubles, "count", { value: ints.length });
        ready.resolve();
      },
    }),
  ]);
  await ready.promise;
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "count", ({ value }) => value === 1);
  deepStrictEqual(running.runtime.dependencies().map(({ edge, type }) => `${edge} ${type}`), [
    "outputExclusive Doubles.test.dev",
    "inputWeak Ints.test.dev",
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
