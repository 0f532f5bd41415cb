import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  ControllerStatuses,
  type ControllerStatusSpec,
  defineController,
  defineQController,
  exclusive,
  ExplainedState,
  FilteredState,
  MemoryState,
  newResource,
  qPrimary,
  UnsupportedError,
  watchFor,
  weak,
  writeCauseId,
  WriteCauses,
  type WriteCauseSpec,
} from "./mod.ts";
import { at, doubler, Doubles, Ints, Running, seen, set, summer, Sums } from "./runtime_testbed.ts";

const { namespace, type } = ControllerStatuses;
const status = (id: string) => ({ namespace, type, id });
const is = (test: (spec: ControllerStatusSpec) => boolean) => ({
  condition: ({ spec }: { spec: unknown }) => test(spec as ControllerStatusSpec),
});

Deno.test("statuses tell how controllers fare, once for many runs, and nothing while idle", async () => {
  const state = new MemoryState();
  const until = Promise.withResolvers<void>();
  const failing = defineController({
    name: "test.Failing",
    inputs: [],
    outputs: [],
    async reconcile() {
      await until.promise;
      throw new Error("no luck");
    },
  });
  await using running = new Running(state, [doubler(), failing], {
    publishStatus: true,
    backoff: { firstMs: 600_000, maxMs: 600_000 },
  });
  await watchFor(state, status("test.Failing"), is(({ state }) => state === "running"));
  until.resolve();
  const failed = await watchFor(state, status("test.Failing"), is(({ state }) => state === "backoff"));
  const { lastError, restarts, failures, backoffUntil, lastErrorTime } = failed.spec as ControllerStatusSpec;
  deepStrictEqual({ lastError, restarts, failures }, { lastError: "no luck", restarts: 1, failures: 1 });
  ok(Date.parse(backoffUntil) > Date.parse(lastErrorTime));
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "a");
  for (let value = 2; value < 199; value++) {
    await set(state, "a", value);
    await seen(state, Doubles.type, "a", (double) => double.value === value * 2);
  }
  const idle = await watchFor(state, status("test.DoublerController"), is(({ writes }) => writes === 198));
  ok((idle.metadata.version ?? 99n) < 20n, `${idle.metadata.version} writes`);
  strictEqual((idle.spec as ControllerStatusSpec).state, "idle");
  await running.runtime.unregister("test.DoublerController");
  deepStrictEqual((await state.list({ namespace, type })).map(({ metadata }) => metadata.id), ["test.Failing"]);
});

Deno.test("a controller that reads statuses is woken by those of others only", async () => {
  const state = new MemoryState();
  let runs = 0;
  await using _ = new Running(state, [
    doubler(),
    defineController({
      name: "test.Auditor",
      inputs: [weak(ControllerStatuses)],
      outputs: [exclusive(Sums)],
      async reconcile(r) {
        const all = await r.list(ControllerStatuses);
        await r.modify(Sums, "runs", { value: ++runs });
        await r.modify(Sums, "seen", {
          value: all.find(({ metadata }) => metadata.id.includes("Doubler"))?.spec.runs ?? 0,
        });
      },
    }),
  ], { publishStatus: true });
  await seen(state, Sums.type, "seen", ({ value }) => value === 1);
  await watchFor(state, status("test.Auditor"), is((spec) => spec.runs === runs));
  const before = runs;
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  strictEqual(runs, before);
});

Deno.test("a queue controller of statuses does not work on its own over and over", async () => {
  const state = new MemoryState();
  const runs = new Map<string, number>();
  await using running = new Running(state, [
    doubler(),
    defineQController({
      name: "test.QAuditor",
      inputs: [qPrimary(ControllerStatuses)],
      outputs: [],
      reconcile(_r, { id }) {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        return Promise.resolve();
      },
    }),
  ], { publishStatus: true });
  await state.create(newResource(Ints, "a", { value: 1 }));
  await watchFor(state, status("test.DoublerController"), is(({ writes }) => writes === 1));
  const own = () => running.runtime.status()[1]?.runs;
  await watchFor(state, status("test.QAuditor"), is((spec) => spec.runs > 0 && spec.runs === own()));
  const before = own();
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  strictEqual(own(), before);
  deepStrictEqual([...runs.keys()], ["test.DoublerController"]);
});

Deno.test("a status that could not be written is written later", async () => {
  const inner = new MemoryState();
  let refusals = 1;
  const state = new FilteredState(inner, (_namespace, kind, _id, verb) => {
    if (kind === type && verb === "create" && refusals-- > 0) throw new Error("not now");
  });
  await using running = new Running(state, [doubler(), summer()], { publishStatus: true });
  for (const id of ["test.DoublerController", "test.SumController"]) {
    await watchFor(inner, status(id), is(({ state }) => state === "idle"));
  }
  ok(running.lines.some((line) => line.includes("not now")));
});

Deno.test("each write remembers what woke its controller, and can be read like a resource", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "before", { value: 0 }));
  await using running = new Running(state, [doubler(), summer()]);
  await seen(state, Sums.type, "sum");
  strictEqual(running.runtime.causes.find(at(Doubles.type, "before"))?.reason, "start");
  deepStrictEqual(running.runtime.causes.find(at(Doubles.type, "before"))?.objects.map(({ id }) => id), ["before"]);
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Sums.type, "sum", ({ value }) => value === 2);
  const explained = new ExplainedState(state, running.runtime.causes);
  const cause = async (type: string, id: string) => {
    const place = { namespace: WriteCauses.namespace, type: WriteCauses.type, id: writeCauseId(at(type, id)) };
    const { controller, reason, objects } = (await explained.get(place)).spec as WriteCauseSpec;
    return { controller, reason, objects: objects.map(({ type, id, version }) => `${type} ${id}@${version}`) };
  };
  deepStrictEqual(await cause(Sums.type, "sum"), {
    controller: "test.SumController",
    reason: "change",
    objects: ["Doubles.test.dev a@1"],
  });
  deepStrictEqual((await cause(Doubles.type, "a")).objects, ["Ints.test.dev a@1"]);
  const kind = { namespace: WriteCauses.namespace, type: WriteCauses.type };
  deepStrictEqual((await explained.list(kind, { id: "Sums" })).map(({ metadata }) => metadata.id), [
    "test/Sums.test.dev/sum",
  ]);
  const refused = await Promise.allSettled([
    explained.watchKind(kind),
    explained.create(newResource(WriteCauses, "x", {} as WriteCauseSpec)),
  ]);
  ok(refused.every((answer) => answer.status === "rejected" && answer.reason instanceof UnsupportedError));
  await state.destroy(at(Ints.type, "a"));
  await seen(state, Sums.type, "sum", ({ value }) => value === 0);
  strictEqual(running.runtime.causes.find(at(Doubles.type, "a")), undefined);
});
