import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  defineQController,
  exclusive,
  MemoryState,
  newResource,
  qMapped,
  qPrimary,
  removeFinalizer,
  RequeueError,
  SkipReconcile,
  watchFor,
} from "./mod.ts";
import { at, Doubles, gone, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

const pass = () => new Promise<void>((resolve) => setImmediate(resolve));

Deno.test("a queue controller follows each object, and lets its end pass", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "before", { value: 1 }));
  await using running = new Running(state, [
    defineQController({
      name: "test.QDoubler",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        const int = await r.get(Ints, id);
        if (int?.metadata.phase === "running") {
          await r.addFinalizer(Ints, id);
          await r.modify(Doubles, id, { value: int.spec.value * 2 });
        } else if (int !== undefined && await r.teardown(Doubles, id)) {
          await r.destroy(Doubles, id);
          await r.removeFinalizer(Ints, id);
        }
      },
    }),
  ]);
  await seen(state, Doubles.type, "before", ({ value }) => value === 2);
  await state.create(newResource(Ints, "a", { value: 4 }));
  await seen(state, Doubles.type, "a", ({ value }) => value === 8);
  await set(state, "a", 5);
  await seen(state, Doubles.type, "a", ({ value }) => value === 10);
  await addFinalizer(state, at(Doubles.type, "a"), "holder");
  await state.teardown(at(Ints.type, "a"));
  await watchFor(state, at(Doubles.type, "a"), { phases: ["tearingDown"] });
  await removeFinalizer(state, at(Doubles.type, "a"), "holder");
  await gone(state, Doubles.type, "a");
  await watchFor(state, at(Ints.type, "a"), { finalizersEmpty: true });
  deepStrictEqual(running.lines, []);
  deepStrictEqual(running.runtime.dependencies().map(({ edge }) => edge), ["outputExclusive", "inputQPrimary"]);
});

Deno.test("failures, skips and requeues of one object do not hold up others (3.14)", async () => {
  const state = new MemoryState();
  const tries = new Map<string, number>();
  for (const id of ["skip", "fail", "again", "again failed", "good"]) {
    await state.create(newResource(Ints, id, { value: 1 }));
  }
  await using running = new Running(state, [
    defineQController({
      name: "test.QMixed",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        const turn = (tries.get(id) ?? 0) + 1;
        tries.set(id, turn);
        const int = await r.get(Ints, id);
        if (id === "skip" && int?.spec.value === 1) throw new SkipReconcile();
        if (id === "fail" && turn < 3) throw new Error("not yet");
        if (id === "again" && turn < 3) throw new RequeueError(1);
        if (id === "again failed" && turn < 3) throw new RequeueError(1, { cause: new Error("not yet either") });
        await r.modify(Doubles, id, { value: turn });
      },
    }),
  ]);
  await seen(state, Doubles.type, "good", ({ value }) => value === 1);
  for (const id of ["fail", "again", "again failed"]) await seen(state, Doubles.type, id, ({ value }) => value === 3);
  await set(state, "skip", 2);
  await seen(state, Doubles.type, "skip", ({ value }) => value === 2);
  const metrics = running.runtime.metrics();
  const of = (name: keyof typeof metrics) => metrics[name].get("test.QMixed");
  deepStrictEqual([of("qcontroller_crashes"), of("qcontroller_skips"), of("qcontroller_requeues")], [4, 1, 2]);
  strictEqual(of("qcontroller_processed"), 1 + 2 + 3 + 3 + 3);
  strictEqual(running.lines.length, 4);
});

Deno.test("mapped inputs queue primary objects, and no others (3.16, 10.28)", async () => {
  const state = new MemoryState();
  const seenLabels: (string | undefined)[] = [];
  let runs = 0;
  await using running = new Running(state, [
    defineQController({
      name: "test.QMapped",
      inputs: [qPrimary(Ints), qMapped(Sums)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        runs++;
        const sum = await r.get(Sums, `for-${id}`);
        await r.modify(Doubles, id, { value: sum?.spec.value ?? 0 });
      },
      mapInput(_r, { id, labels, phase, finalizersEmpty }) {
        seenLabels.push(`${phase} ${labels.get("to")} ${finalizersEmpty}`);
        const type = id === "wrong" ? Sums.type as never : Ints.type;
        return [{ namespace: "test", type, id: labels.get("to") ?? "" }];
      },
    }),
  ]);
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "a", ({ value }) => value === 0);
  await state.create(newResource(Sums, "wrong", { value: 1 }, { finalizers: ["holder"] }));
  await state.create(newResource(Sums, "for-a", { value: 7 }, { labels: new Map([["to", "a"]]) }));
  await seen(state, Doubles.type, "a", ({ value }) => value === 7);
  await state.destroy(at(Sums.type, "for-a"));
  await seen(state, Doubles.type, "a", ({ value }) => value === 0);
  ok(seenLabels.filter((label) => label === "running a true").length === 2);
  ok(running.lines.some((line) => line.includes(`Cannot queue Sums.test.dev in "test"`)));
  const metrics = running.runtime.metrics();
  const of = (name: keyof typeof metrics) => metrics[name].get("test.QMapped");
  const failed = of("qcontroller_crashes") ?? 0;
  deepStrictEqual(
    [of("qcontroller_processed"), of("qcontroller_mapped_in"), of("qcontroller_mapped_out")],
    [runs, seenLabels.length, seenLabels.length - failed],
  );
  ok(seenLabels.includes("running undefined false"));
  await removeFinalizer(state, at(Sums.type, "wrong"), "holder");
  await state.destroy(at(Sums.type, "wrong"));
});

Deno.test("one key is never at work twice, others are, up to the concurrency (3.11, 10.26)", async () => {
  const state = new MemoryState();
  const atWork = new Map<string, number>();
  let most = 0, total = 0, overlaps = 0;
  await using _ = new Running(state, [
    defineQController({
      name: "test.QParallel",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      concurrency: 3,
      async reconcile(r, { id }) {
        if ((atWork.get(id) ?? 0) > 0) overlaps++;
        atWork.set(id, 1);
        most = Math.max(most, ++total);
        await pass();
        total--;
        atWork.set(id, 0);
        await r.modify(Doubles, id, { value: (await r.get(Ints, id))?.spec.value ?? 0 });
      },
    }),
  ]);
  for (let id = 0; id < 8; id++) await state.create(newResource(Ints, `${id}`, { value: 0 }));
  for (let turn = 1; turn <= 20; turn++) {
    for (let id = 0; id < 8; id++) await set(state, `${id}`, turn);
    await pass();
  }
  for (let id = 0; id < 8; id++) await seen(state, Doubles.type, `${id}`, ({ value }) => value === 20);
  deepStrictEqual([most, overlaps], [3, 0]);
});

Deno.test("the backoff of an object starts anew after a success, and a requeue replaces it (3.14)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "a", { value: 1 }));
  await state.create(newResource(Ints, "requeued", { value: 1 }));
  const runs = new Map<string, number>();
  await using running = new Running(state, [
    defineQController({
      name: "test.QBackoff",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        const run = (runs.get(id) ?? 0) + 1;
        runs.set(id, run);
        if (id === "requeued" && run < 20) throw new RequeueError(1, { cause: new Error("again") });
        if (id === "a" && run !== 9 && run < 11) throw new Error("not now");
        await r.modify(Doubles, id, { value: run });
      },
    }),
  ], { backoff: { firstMs: 2, maxMs: 100_000 } });
  await seen(state, Doubles.type, "a", ({ value }) => value === 9);
  await set(state, "a", 2);
  await seen(state, Doubles.type, "a", ({ value }) => value === 11);
  await seen(state, Doubles.type, "requeued");
  const delays = (id: string) =>
    running.lines.filter((line) => line.includes(`"${id}"`)).map((line) => Number(/in (\d+) ms/.exec(line)?.[1]));
  const [before = 0, after = 0] = delays("a").slice(-2);
  ok(before > after && after <= 3, `${delays("a")}`);
  deepStrictEqual(delays("requeued"), Array(19).fill(1));
});

Deno.test("mapInput may name no other object than the one of a primary input (3.16, 3.19)", async () => {
  const state = new MemoryState();
  const ids: string[] = [];
  await using running = new Running(state, [
    defineQController({
      name: "test.QNarrow",
      inputs: [qPrimary(Ints, { id: "one" }), qMapped(Sums)],
      outputs: [],
      reconcile: (_r, { id }) => Promise.resolve(void ids.push(id)),
      mapInput: (_r, { id }) => [{ namespace: "test", type: Ints.type, id }],
    }),
  ], { backoff: { firstMs: 600_000, maxMs: 600_000 } });
  await pass();
  for (const id of ["other", "one"]) await state.create(newResource(Sums, id, { value: 1 }));
  while (ids.length === 0 || running.lines.length === 0) await pass();
  deepStrictEqual([ids, running.lines.length], [["one"], 1]);
});

Deno.test("a primary input may be one object (3.19)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "one", { value: 1 }));
  await state.create(newResource(Ints, "other", { value: 1 }));
  const ids: string[] = [];
  await using running = new Running(state, [
    defineQController({
      name: "test.QOne",
      inputs: [qPrimary(Ints, { id: "one" })],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        ids.push(id);
        await r.modify(Doubles, id, { value: (await r.get(Ints, id))?.spec.value ?? 0 });
      },
    }),
  ]);
  await seen(state, Doubles.type, "one", ({ value }) => value === 1);
  await set(state, "other", 2);
  await set(state, "one", 2);
  await seen(state, Doubles.type, "one", ({ value }) => value === 2);
  deepStrictEqual(ids, ["one", "one"]);
  deepStrictEqual(running.lines, []);
});
