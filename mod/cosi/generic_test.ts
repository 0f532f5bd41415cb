import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  addFinalizer,
  combine,
  defineCleanup,
  defineDestroy,
  defineQTransform,
  defineTransform,
  destroyReady,
  FilteredState,
  hasNoOutputs,
  mapLabelValue,
  MemoryState,
  newResource,
  qMapped,
  removeFinalizer,
  removeOutputs,
  RequeueError,
  shared,
  SkipReconcile,
  type State,
  watchFor,
} from "./mod.ts";
import { at, Doubles, gone, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

const create = (state: State, id: string, value: number, labels: Record<string, string> = {}) =>
  state.create(newResource(Ints, id, { value }, { labels: new Map(Object.entries(labels)) }));
/** One that answers within the call, and one that does not. */
const STATES: readonly [name: string, make: () => State][] = [
  ["MemoryState", () => new MemoryState()],
  ["FilteredState", () => new FilteredState(new MemoryState(), () => {})],
];
const double = { from: Ints, to: Doubles } as const;

for (const [name, make] of STATES) {
  Deno.test(`${name}: defineTransform() ignores the end of its inputs until they are gone, on request (4.2)`, async () => {
    const state = make();
    await using _ = new Running(state, [
      defineTransform({ name: "test.Ignoring", ...double, ignoreTeardown: true, map: ({ spec }) => ({ spec }) }),
    ]);
    await create(state, "a", 1);
    await seen(state, Doubles.type, "a");
    await addFinalizer(state, at(Ints.type, "a"), "holder");
    await state.teardown(at(Ints.type, "a"));
    await create(state, "b", 1);
    await seen(state, Doubles.type, "b");
    strictEqual((await state.get(at(Doubles.type, "a"))).metadata.phase, "running");
    await removeFinalizer(state, at(Ints.type, "a"), "holder");
    await state.destroy(at(Ints.type, "a"));
    await gone(state, Doubles.type, "a");
    throws(() =>
      defineTransform({
        ...{ name: "t", ...double, ignoreTeardown: true },
        map: ({ spec }) => ({ spec }),
        finalize: () => {},
      }), TypeError);
  });

  Deno.test(`${name}: defineTransform() filters its inputs, writes more outputs and keeps what is skipped`, async () => {
    const state = make();
    await using running = new Running(state, [
      defineTransform({
        name: "test.Filtering",
        ...double,
        query: { labels: [[{ key: "app", op: "exists", values: [], invert: false }]] },
        outputs: [shared(Sums)],
        async map({ spec, metadata }, access) {
          if (spec.value === 0) throw new SkipReconcile();
          await access.modify(Sums, metadata.id, { value: spec.value + 1 });
          return { spec: { value: spec.value * 2 } };
        },
      }),
    ]);
    await create(state, "without", 5);
    await create(state, "a", 1, { app: "x" });
    await seen(state, Doubles.type, "a", ({ value }) => value === 2);
    await seen(state, Sums.type, "a", ({ value }) => value === 2);
    await set(state, "a", 0);
    await create(state, "b", 1, { app: "x" });
    await seen(state, Doubles.type, "b");
    await seen(state, Doubles.type, "a", ({ value }) => value === 2);
    strictEqual((await state.list({ namespace: "test", type: Doubles.type })).length, 2);
    deepStrictEqual(running.lines, []);
  });

  Deno.test(`${name}: defineQTransform() follows inputs and mapped inputs, and ends outputs before inputs`, async () => {
    const state = make();
    const ended: string[] = [];
    await using running = new Running(state, [
      defineQTransform({
        name: "test.QTransform",
        ...double,
        inputs: [qMapped(Sums)],
        outputId: ({ metadata }) => `out-${metadata.id}`,
        inputId: (id) => id.slice(4),
        mapInput: mapLabelValue("for"),
        async map({ spec, metadata }, access) {
          if (spec.value < 0) return undefined;
          const extra = (await access.get(Sums, `sum-${metadata.id}`))?.spec.value ?? 0;
          return { spec: { value: spec.value * 2 + extra } };
        },
        finalize: ({ metadata }) => void ended.push(metadata.id),
      }),
    ]);
    await create(state, "a", 1);
    await seen(state, Doubles.type, "out-a", ({ value }) => value === 2);
    await state.create(newResource(Sums, "sum-a", { value: 10 }, { labels: new Map([["for", "a"]]) }));
    await seen(state, Doubles.type, "out-a", ({ value }) => value === 12);
    await set(state, "a", -1);
    await gone(state, Doubles.type, "out-a");
    deepStrictEqual((await state.get(at(Ints.type, "a"))).metadata.finalizers, ["test.QTransform"]);
    await set(state, "a", 2);
    await seen(state, Doubles.type, "out-a", ({ value }) => value === 14);
    // somebody ends the output: it comes again
    await state.teardown(at(Doubles.type, "out-a"), { owner: "test.QTransform" });
    await seen(state, Doubles.type, "out-a", ({ value }) => value === 14);
    await watchFor(state, at(Doubles.type, "out-a"), { phases: ["running"], types: ["created", "updated"] });
    await addFinalizer(state, at(Doubles.type, "out-a"), "reader");
    await state.teardown(at(Ints.type, "a"));
    await watchFor(state, at(Doubles.type, "out-a"), { phases: ["tearingDown"] });
    await removeFinalizer(state, at(Doubles.type, "out-a"), "reader");
    await gone(state, Doubles.type, "out-a");
    await watchFor(state, at(Ints.type, "a"), { finalizersEmpty: true });
    ok(ended.length > 0);
    deepStrictEqual(running.lines, []);
  });

  Deno.test(`${name}: defineQTransform() writes before a requeue, and tries a lost conflict again (4.17, 4.20)`, async () => {
    const state = make();
    let turns = 0;
    await state.create(newResource(Doubles, "taken", { value: 1 }), { owner: "other" });
    await create(state, "a", 1);
    await create(state, "taken", 1);
    await using running = new Running(state, [
      defineQTransform({
        name: "test.QRequeue",
        ...double,
        map({ metadata }) {
          if (metadata.id === "taken") return { spec: { value: 2 } };
          turns++;
          if (turns === 2) throw new RequeueError(1);
          return { spec: { value: turns }, ...(turns < 4 ? { requeueAfterMs: 1 } : {}) };
        },
      }),
    ]);
    await seen(state, Doubles.type, "a", ({ value }) => value === 4);
    strictEqual(running.runtime.metrics().qcontroller_requeues.get("test.QRequeue"), 3);
    while (running.lines.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await state.destroy(at(Doubles.type, "taken"), { owner: "other" });
    await seen(state, Doubles.type, "taken", ({ value }) => value === 2);
  });

  for (const [mode, ignore] of [["until", { ignoreTeardownUntil: [] }], ["while", { ignoreTeardownWhile: ["peer"] }]]) {
    Deno.test(`${name}: defineQTransform() goes on ${mode} others hold a tearing down input (4.19)`, async () => {
      const state = make();
      await using _ = new Running(state, [
        defineQTransform({ name: "test.QLast", ...double, ...ignore as object, map: ({ spec }) => ({ spec }) }),
      ]);
      await create(state, "a", 1);
      await seen(state, Doubles.type, "a");
      await addFinalizer(state, at(Ints.type, "a"), "peer");
      await state.teardown(at(Ints.type, "a"));
      const { metadata } = await state.get(at(Ints.type, "a"));
      await state.update({ metadata, spec: { value: 5 } }, { expectedPhase: "any" });
      await seen(state, Doubles.type, "a", ({ value }) => value === 5);
      await removeFinalizer(state, at(Ints.type, "a"), "peer");
      await gone(state, Doubles.type, "a");
      await watchFor(state, at(Ints.type, "a"), { finalizersEmpty: true });
    });
  }

  Deno.test(`${name}: defineQTransform() makes nothing of an input that is going and that it does not hold (4.19)`, async () => {
    const state = make();
    await create(state, "late", 1);
    await addFinalizer(state, at(Ints.type, "late"), "peer");
    await state.teardown(at(Ints.type, "late"));
    await create(state, "next", 1);
    await using _ = new Running(state, [
      defineQTransform({ name: "test.QLate", ...double, ignoreTeardownUntil: [], map: ({ spec }) => ({ spec }) }),
    ]);
    await seen(state, Doubles.type, "next");
    deepStrictEqual((await state.list(at(Doubles.type, ""))).map(({ metadata }) => metadata.id), ["next"]);
  });

  Deno.test(`${name}: defineCleanup() waits for objects and removes others before it lets go (4-C)`, async () => {
    const state = make();
    const query = ({ metadata }: { metadata: { id: string } }) => ({ id: `^${metadata.id}-` });
    await using running = new Running(state, [
      defineCleanup({
        name: "test.Cleanup",
        from: Ints,
        handler: combine(hasNoOutputs(Doubles, query), removeOutputs(Sums, query, ["known"])),
      }),
    ]);
    await state.create(newResource(Doubles, "a-1", { value: 1 }));
    await state.create(newResource(Sums, "a-1", { value: 1 }));
    await state.create(newResource(Sums, "a-2", { value: 1 }), { owner: "known" });
    await state.create(newResource(Sums, "a-3", { value: 1 }), { owner: "foreign" });
    await addFinalizer(state, at(Sums.type, "a-2"), "holder");
    await create(state, "a", 1);
    await watchFor(state, at(Ints.type, "a"), { condition: ({ metadata }) => metadata.finalizers.length === 1 });
    await state.teardown(at(Ints.type, "a"));
    await create(state, "b", 1);
    await watchFor(state, at(Ints.type, "b"), { condition: ({ metadata }) => metadata.finalizers.length === 1 });
    strictEqual((await state.get(at(Sums.type, "a-1"))).metadata.phase, "running"); // a double is still there
    await state.destroy(at(Doubles.type, "a-1"));
    await gone(state, Sums.type, "a-1");
    await watchFor(state, at(Sums.type, "a-2"), { phases: ["tearingDown"] });
    strictEqual((await state.get(at(Ints.type, "a"))).metadata.finalizers.length, 1);
    await removeFinalizer(state, at(Sums.type, "a-2"), "holder");
    await gone(state, Sums.type, "a-2");
    await watchFor(state, at(Ints.type, "a"), { finalizersEmpty: true });
    strictEqual((await state.get(at(Sums.type, "a-3"))).metadata.phase, "running");
    deepStrictEqual(running.lines, []);
    throws(() =>
      combine(hasNoOutputs(Sums, query), {
        inputs: [destroyReady(Sums)],
        outputs: [],
        finalize: () => Promise.resolve(),
      }), TypeError);
  });

  Deno.test(`${name}: defineDestroy() ends what nobody owns or holds (4-D)`, async () => {
    const state = make();
    await using running = new Running(state, [defineDestroy(Ints, { concurrency: 2 })]);
    for (const id of ["a", "running"]) await create(state, id, 1);
    await state.create(newResource(Ints, "owned", { value: 1 }), { owner: "other" });
    await addFinalizer(state, at(Ints.type, "a"), "holder");
    await state.teardown(at(Ints.type, "owned"), { owner: "other" });
    await state.teardown(at(Ints.type, "a"));
    await create(state, "free", 1);
    await state.teardown(at(Ints.type, "free"));
    await gone(state, Ints.type, "free");
    await removeFinalizer(state, at(Ints.type, "a"), "holder");
    await gone(state, Ints.type, "a");
    await seen(state, Ints.type, "owned");
    await seen(state, Ints.type, "running");
    deepStrictEqual(running.lines, []);
  });
}
