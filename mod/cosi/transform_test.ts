import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { field } from "../schema/mod.ts";
import {
  addFinalizer,
  type Controller,
  defineResource,
  defineTransform,
  exclusive,
  MemoryState,
  newResource,
  removeFinalizer,
  type Resource,
  Runtime,
  SkipReconcile,
  type State,
  updateWithConflicts,
  watchFor,
  weak,
  withSpec,
} from "./mod.ts";

interface Int {
  value: number;
}
interface Str {
  text: string;
}
const Ints = defineResource<Int>()({ type: "Ints.test.dev", namespace: "a", fields: { value: field.int32(1) } });
const Strs = defineResource<Str>()({ type: "Strs.test.dev", namespace: "b", fields: { text: field.string(1) } });
const Units = defineResource<Str>()({ type: "Units.test.dev", namespace: "b", fields: { text: field.string(1) } });
const int = (id: string) => ({ namespace: "a", type: Ints.type, id });
const str = (id: string) => ({ namespace: "b", type: Strs.type, id });

function start(
  state: State,
  controllers: readonly Controller[],
): AsyncDisposable & { readonly lines: string[]; readonly runtime: Runtime } {
  const stop = new AbortController();
  const lines: string[] = [];
  const runtime = new Runtime(state, {
    log: (_name, _level, message) => void lines.push(message),
    backoff: { firstMs: 1, maxMs: 2 },
  });
  for (const controller of controllers) runtime.register(controller);
  const ended = runtime.run(stop.signal);
  return {
    ...{ lines, runtime },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

const hasText = (text: string) => ({ condition: ({ spec }: Resource) => (spec as Str).text === text });
const set = (state: State, id: string, value: number) =>
  updateWithConflicts(state, int(id), (current) => withSpec(current, { value }));

Deno.test("defineTransform() follows its inputs, also extra ones, and drops what is not mapped", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "x", { value: 1 }));
  await using _ = start(state, [
    defineTransform({
      name: "test.IntToStrController",
      from: Ints,
      to: Strs,
      inputs: [weak(Units)],
      async map({ spec, metadata }, r) {
        if (spec.value < 0) return undefined;
        const unit = await r.get(Units, "unit");
        const labels = new Map([["from", metadata.id]]);
        return { id: `str-${metadata.id}`, spec: { text: `${spec.value}${unit?.spec.text ?? ""}` }, labels };
      },
    }),
  ]);
  const first = await watchFor(state, str("str-x"), hasText("1"));
  strictEqual(first.metadata.labels.get("from"), "x");
  strictEqual(first.metadata.owner, "test.IntToStrController");
  await set(state, "x", 2);
  await watchFor(state, str("str-x"), hasText("2"));
  await state.create(newResource(Units, "unit", { text: "m" }));
  await watchFor(state, str("str-x"), hasText("2m"));
  await set(state, "x", -1);
  await watchFor(state, str("str-x"), { types: ["destroyed"] });
  await set(state, "x", 3);
  await watchFor(state, str("str-x"), hasText("3m"));
  await state.teardown(int("x"));
  await watchFor(state, str("str-x"), { types: ["destroyed"] });
});

Deno.test("defineTransform() holds its inputs until their outputs are gone and the end was handled", async () => {
  const state = new MemoryState();
  const ended: string[] = [];
  await using _ = start(state, [
    defineTransform({
      name: "test.HoldingController",
      from: Ints,
      to: Strs,
      map: ({ spec }) => ({ spec: { text: String(spec.value) } }),
      finalize: ({ metadata }) => void ended.push(metadata.id),
    }),
  ]);
  await state.create(newResource(Ints, "x", { value: 1 }));
  await watchFor(state, str("x"), hasText("1"));
  await addFinalizer(state, str("x"), "reader");
  strictEqual(await state.teardown(int("x")), false);
  await watchFor(state, str("x"), { phases: ["tearingDown"] });
  deepStrictEqual((await state.get(int("x"))).metadata.finalizers, ["test.HoldingController"]);
  await removeFinalizer(state, str("x"), "reader");
  await watchFor(state, str("x"), { types: ["destroyed"] });
  await watchFor(state, int("x"), { finalizersEmpty: true });
  await state.destroy(int("x"));
  ok(ended.length > 0);
});

Deno.test("defineTransform() keeps the output of an input that cannot be mapped, and serves the others", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "bad", { value: 1 }));
  await using running = start(state, [
    defineTransform({
      name: "test.PickyController",
      from: Ints,
      to: Strs,
      map({ spec, metadata }) {
        if (spec.value === 13) throw new Error("unlucky");
        return { id: `s-${metadata.id}`, spec: { text: String(spec.value) } };
      },
    }),
  ]);
  await watchFor(state, str("s-bad"), hasText("1"));
  await set(state, "bad", 13);
  await state.create(newResource(Ints, "good", { value: 2 }));
  await watchFor(state, str("s-good"), hasText("2"));
  strictEqual(((await state.get(str("s-bad"))).spec as Str).text, "1");
  await set(state, "bad", 14);
  await watchFor(state, str("s-bad"), hasText("14"));
  ok(running.lines.some((line) => line.includes("unlucky")));
});

Deno.test("defineTransform() runs its hooks around each pass, also one in which inputs failed (4.1, 4.4)", async () => {
  const state = new MemoryState();
  const events: string[] = [];
  const failures = ["preHook", "map", "postHook"];
  const turn = (what: string, id = "") => {
    events.push(`${what}${id}`);
    if (failures[0] !== what) return;
    failures.shift();
    throw new Error(`${what} failed`);
  };
  for (const id of ["a", "b"]) await state.create(newResource(Ints, id, { value: 1 }));
  await using running = start(state, [
    defineTransform({
      name: "test.HookedController",
      from: Ints,
      to: Strs,
      preHook: () => turn("preHook"),
      map({ metadata: { id }, spec }) {
        turn("map", ` ${id}`);
        return { spec: { text: String(spec.value) } };
      },
      async postHook(r) {
        turn("postHook", ` ${(await r.list(Strs)).map(({ metadata }) => metadata.id).join("")}`);
      },
    }),
  ]);
  await watchFor(state, str("a"), hasText("1"));
  while (failures.length > 0) await new Promise((resolve) => setImmediate(resolve));
  while (running.runtime.status()[0]?.state !== "idle") await new Promise((resolve) => setImmediate(resolve));
  deepStrictEqual(events, [
    "preHook",
    ...["preHook", "map a", "map b", "postHook b"],
    ...["preHook", "map a", "map b", "postHook ab"],
  ]);
  deepStrictEqual(running.lines.map((line) => line.split(";").slice(0, -1).join(";")), [
    "preHook failed",
    "Error: map failed; Error: postHook failed",
  ]);
  const metrics = running.runtime.metrics();
  const of = (name: keyof typeof metrics) => metrics[name].get("test.HookedController");
  deepStrictEqual([of("reconcile_cycles"), of("reconcile_input_items"), of("controller_crashes")], [3, 4, 2]);
});

Deno.test("defineTransform() leaves out a pass that its preHook skips, until something changes (4.10)", async () => {
  const state = new MemoryState();
  let isReady = false;
  await state.create(newResource(Ints, "a", { value: 1 }));
  await using running = start(state, [
    defineTransform({
      name: "test.WaitingController",
      from: Ints,
      to: Strs,
      preHook() {
        if (!isReady) throw new SkipReconcile();
      },
      map: ({ spec }) => ({ spec: { text: String(spec.value) } }),
    }),
  ]);
  while (running.runtime.status()[0]?.runs !== 1) await new Promise((resolve) => setImmediate(resolve));
  isReady = true;
  await set(state, "a", 2);
  await watchFor(state, str("a"), hasText("2"));
  deepStrictEqual([running.runtime.status()[0]?.runs, running.lines], [2, []]);
});

Deno.test("defineTransform() lets go of inputs although another's output is in the way (4.4, 4.8)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Strs, "taken", { text: "foreign" }), { owner: "other" });
  for (const id of ["taken", "x"]) await state.create(newResource(Ints, id, { value: 1 }));
  await using _ = start(state, [
    defineTransform({
      name: "test.HoldingController",
      from: Ints,
      to: Strs,
      map: ({ spec }) => ({ spec: { text: String(spec.value) } }),
      finalize: () => {},
    }),
  ]);
  await watchFor(state, str("x"), hasText("1"));
  await state.teardown(int("x"));
  await watchFor(state, str("x"), { types: ["destroyed"] });
  await watchFor(state, int("x"), { finalizersEmpty: true });
});

Deno.test("defineTransform() makes an output anew that somebody else ends (4.3, 4.7)", async () => {
  const state = new MemoryState();
  const name = "test.LastingController";
  await state.create(newResource(Ints, "x", { value: 1 }));
  await using running = start(state, [
    defineTransform({ name, from: Ints, to: Strs, map: ({ spec }) => ({ spec: { text: String(spec.value) } }) }),
  ]);
  await watchFor(state, str("x"), hasText("1"));
  while (running.runtime.status()[0]?.state !== "idle") await new Promise((resolve) => setImmediate(resolve));
  await state.teardown(str("x"), { owner: name });
  await watchFor(state, str("x"), { types: ["created", "updated"], phases: ["running"] });
  deepStrictEqual(running.runtime.dependencies().map(({ edge, type }) => `${edge} ${type}`), [
    `outputExclusive ${Strs.type}`,
    `inputWeak ${Ints.type}`,
    `inputDestroyReady ${Strs.type}`,
  ]);
});

Deno.test("defineTransform() knows after a restart what it does not know: whose output is whose", async () => {
  const state = new MemoryState();
  let isBroken = false;
  const controllers = () => [
    defineTransform({
      name: "test.RestartedController",
      from: Ints,
      to: Strs,
      map({ spec, metadata }) {
        if (isBroken && metadata.id === "bad") throw new Error("no luck");
        return { id: `str-${metadata.id}`, spec: { text: String(spec.value) } };
      },
      finalize: () => {},
    }),
  ];
  for (const id of ["bad", "held"]) await state.create(newResource(Ints, id, { value: 1 }));
  {
    await using _ = start(state, controllers());
    for (const id of ["bad", "held"]) await watchFor(state, str(`str-${id}`), hasText("1"));
  }
  isBroken = true;
  await addFinalizer(state, str("str-held"), "reader");
  await state.teardown(int("held"));
  {
    await using running = start(state, controllers());
    while (running.lines.length < 2) await new Promise((resolve) => setImmediate(resolve));
    strictEqual(((await state.get(str("str-bad"))).spec as Str).text, "1"); // kept, although its input cannot be mapped
    isBroken = false;
    await watchFor(state, str("str-held"), { phases: ["tearingDown"] });
    await state.create(newResource(Ints, "new", { value: 1 }));
    await watchFor(state, str("str-new"), hasText("1"));
    // the output of the ended input is still there, under an id that this process never heard of
    strictEqual((await state.get(int("held"))).metadata.finalizers.length, 1);
    await removeFinalizer(state, str("str-held"), "reader");
    await watchFor(state, int("held"), { finalizersEmpty: true });
    await watchFor(state, str("str-held"), { types: ["destroyed"] });
  }
});

Deno.test("defineTransform() holds an input before it maps it, so that the end of more outputs is handled (4.5)", async () => {
  const state = new MemoryState();
  await using _ = start(state, [
    defineTransform({
      name: "test.HalfwayController",
      from: Ints,
      to: Strs,
      outputs: [exclusive(Units)],
      async map({ metadata: { id } }, r) {
        await r.modify(Units, id, { text: "half" });
        throw new Error("no further");
      },
      finalize: ({ metadata }, r) => r.destroy(Units, metadata.id),
    }),
  ]);
  await state.create(newResource(Ints, "x", { value: 1 }));
  const unit = { namespace: "b", type: Units.type, id: "x" };
  await watchFor(state, unit, hasText("half"));
  strictEqual(await state.teardown(int("x")), false);
  await watchFor(state, unit, { types: ["destroyed"] });
  await watchFor(state, int("x"), { finalizersEmpty: true });
});
