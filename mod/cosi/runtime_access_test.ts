import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  type Access,
  AccessError,
  addFinalizer,
  defineController,
  destroyReady,
  exclusive,
  FilteredState,
  type Input,
  MemoryState,
  newResource,
  PhaseConflictError,
  removeFinalizer,
  shared,
  type State,
  strong,
  watchFor,
  weak,
} from "./mod.ts";
import { at, doubler, Doubles, gone, Ints, Running, seen, summer, Sums } from "./runtime_testbed.ts";

/** One that answers within the call, and one that does not. */
const STATES: readonly [name: string, make: () => State][] = [
  ["MemoryState", () => new MemoryState()],
  ["FilteredState", () => new FilteredState(new MemoryState(), () => {})],
];
for (const [name, make] of STATES) {
  Deno.test(`${name}: a chain of controllers follows what was there before and what comes after the start`, async () => {
    const state = make();
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

  Deno.test(`${name}: sync tears down what others hold, and makes anew what is wanted again meanwhile`, async () => {
    const state = make();
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

  Deno.test(`${name}: sync leaves foreign objects alone and reports one that is in the way`, async () => {
    const state = make();
    await state.create(newResource(Doubles, "foreign", { value: 3 }), { owner: "other" });
    await state.create(newResource(Doubles, "a", { value: 3 }), { owner: "other" });
    await state.create(newResource(Ints, "a", { value: 1 }));
    await state.create(newResource(Ints, "b", { value: 1 }));
    await using running = new Running(state, [doubler()]);
    await seen(state, Doubles.type, "b");
    await seen(state, Doubles.type, "foreign");
    const failure = () => running.runtime.status()[0]?.lastError;
    while (failure() === undefined) await new Promise((resolve) => setImmediate(resolve));
    strictEqual(
      failure(),
      `Cannot write Doubles.test.dev(test/a): it is owned by "other"`,
    );
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

Deno.test("modify minds the phase, keeps what it is not told of, and counts what it writes (3.28)", async () => {
  for (const [, make] of STATES) {
    const state = make();
    const results: unknown[] = [];
    const done = Promise.withResolvers<void>();
    const owner = "test.Modifier";
    await state.create(newResource(Doubles, "ending", { value: 1 }), { owner });
    await addFinalizer(state, at(Doubles.type, "ending"), "holder");
    await state.teardown(at(Doubles.type, "ending"), { owner });
    await using running = new Running(state, [
      defineController({
        name: owner,
        inputs: [],
        outputs: [exclusive(Doubles)],
        async reconcile(r) {
          await r.modify(Doubles, "ending", { value: 2 }).catch((error) =>
            results.push(error instanceof PhaseConflictError)
          );
          results.push((await r.modify(Doubles, "ending", { value: 2 }, { expectedPhase: "any" })).metadata.phase);
          const labels = new Map([["a", "b"]]);
          results.push((await r.modify(Doubles, "a", { value: 1 }, { labels })).metadata.version);
          results.push((await r.modify(Doubles, "a", { value: 1 })).metadata.version);
          const { metadata } = await r.modify(Doubles, "a", (now) => ({ value: (now?.value ?? 0) + 1 }));
          results.push(metadata.version, metadata.labels.get("a"));
          done.resolve();
        },
      }),
    ]);
    await done.promise;
    deepStrictEqual(results, [true, "tearingDown", 1n, 1n, 2n, "b"]);
    strictEqual(running.runtime.status()[0]?.writes, 3);
  }
});

Deno.test("a finalizer that is there already is no write (3-I)", async () => {
  for (const [, make] of STATES) {
    const state = make();
    await state.create(newResource(Ints, "a", { value: 1 }));
    const done = Promise.withResolvers<void>();
    await using running = new Running(state, [
      defineController({
        name: "test.Holder",
        inputs: [strong(Ints)],
        outputs: [],
        async reconcile(r) {
          for (let time = 0; time < 3; time++) await r.addFinalizer(Ints, "a");
          for (let time = 0; time < 3; time++) await r.removeFinalizer(Ints, "a");
          await r.removeFinalizer(Ints, "missing");
          done.resolve();
        },
      }),
    ]);
    await done.promise;
    const { reads, writes } = running.runtime.status()[0] ?? {};
    deepStrictEqual({ reads, writes }, { reads: 7, writes: 2 });
  }
});

Deno.test("tracking outputs twice, or not at all before the clean-up, is a fault (3.30)", async () => {
  const faults: unknown[] = [], refusals: unknown[] = [], kept: number[] = [];
  const done = Promise.withResolvers<void>();
  await using _ = new Running(new MemoryState(), [
    defineController({
      name: "test.ForgetfulController",
      inputs: [],
      outputs: [exclusive(Doubles)],
      async reconcile(r) {
        await r.cleanupOutputs(Doubles).catch((error) => faults.push(error));
        r.startTrackingOutputs();
        try {
          r.startTrackingOutputs();
        } catch (error) {
          faults.push(error);
        }
        await r.sync(Doubles, [{ id: "kept", spec: { value: 1 } }]);
        await r.cleanupOutputs(Sums as never).catch((error) => refusals.push(error));
        await r.cleanupOutputs(Doubles);
        kept.push((await r.list(Doubles)).length);
        r.startTrackingOutputs();
        if (faults.length === 2) r.queueReconcile(); // what was started ends with the run
        else done.resolve();
      },
    }),
  ]);
  await done.promise;
  deepStrictEqual(faults.map((fault) => fault instanceof TypeError), [true, true, true, true]);
  deepStrictEqual([kept, refusals.map((error) => error instanceof AccessError)], [[1, 1], [true, true]]);
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

Deno.test("a destroyReady input of one object is about no other (3.21)", async () => {
  const state = new MemoryState();
  let runs = 0;
  await using _ = new Running(state, [
    defineController({
      name: "test.OneController",
      inputs: [destroyReady(Ints, { id: "one" })],
      outputs: [exclusive(Doubles)],
      async reconcile(r) {
        await r.modify(Doubles, "runs", { value: ++runs });
      },
    }),
  ]);
  await seen(state, Doubles.type, "runs");
  for (const id of ["other", "one"]) {
    await state.create(newResource(Ints, id, { value: 1 }));
    await state.teardown(at(Ints.type, id));
    await new Promise((resolve) => setImmediate(resolve));
    strictEqual(runs, id === "one" ? 2 : 1);
  }
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
