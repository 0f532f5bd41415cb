import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  defineCleanup,
  defineController,
  defineQController,
  defineQTransform,
  defineTransform,
  destroyReady,
  exclusive,
  FilteredState,
  type Kind,
  MemoryState,
  newResource,
  qPrimary,
  type Query,
  removeFinalizer,
  shared,
  watchFor,
  type WatchKindOptions,
  weak,
} from "./mod.ts";
import { at, Doubles, gone, type Int, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

Deno.test("a controller may write objects that nobody owns, and end those of others (3.27)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Sums, "other", { value: 1 }), { owner: "other" });
  await addFinalizer(state, at(Sums.type, "other"), "holder");
  await using running = new Running(state, [
    defineController({
      name: "test.Steward",
      inputs: [],
      outputs: [shared(Sums)],
      async reconcile(r) {
        await r.modify(Sums, "free", { value: 1 }, { owner: "" });
        await r.modify(Sums, "own", { value: 1 });
        const owner = "other";
        if (await r.teardown(Sums, "other", { owner })) await r.destroy(Sums, "other", { owner });
      },
    }),
  ]);
  strictEqual((await seen(state, Sums.type, "free")).metadata.owner, "");
  strictEqual((await seen(state, Sums.type, "own")).metadata.owner, "test.Steward");
  await watchFor(state, at(Sums.type, "other"), { phases: ["tearingDown"] });
  await removeFinalizer(state, at(Sums.type, "other"), "holder");
  await gone(state, Sums.type, "other");
  deepStrictEqual(running.lines, []);
});

Deno.test("a clean-up waits for who holds an output (3.30, 9.9)", async () => {
  const state = new MemoryState();
  let runs = 0;
  await using running = new Running(state, [
    defineController({
      name: "test.Cleaner",
      inputs: [],
      outputs: [exclusive(Sums)],
      async reconcile(r) {
        r.startTrackingOutputs();
        if (++runs === 1) { for (const id of ["held", "free"]) await r.modify(Sums, id, { value: 1 }); }
        if (runs === 1) await addFinalizer(state, at(Sums.type, "held"), "holder");
        await r.cleanupOutputs(Sums);
        if (runs === 1) r.queueReconcile();
      },
    }),
  ]);
  await gone(state, Sums.type, "free");
  await watchFor(state, at(Sums.type, "held"), { phases: ["tearingDown"] });
  await removeFinalizer(state, at(Sums.type, "held"), "holder");
  await gone(state, Sums.type, "held");
  deepStrictEqual(running.lines, []);
});

Deno.test("what a controller writes into its own inputs wakes it again (3.34)", async () => {
  const state = new MemoryState();
  await using _ = new Running(state, [
    defineController({
      name: "test.Counter",
      inputs: [weak(Ints)],
      outputs: [exclusive(Ints)],
      async reconcile(r) {
        await r.modify(Ints, "count", (now) => ({ value: Math.min((now?.value ?? 0) + 1, 5) }));
      },
    }),
  ]);
  await seen(state, Ints.type, "count", ({ value }) => value === 5);
});

Deno.test("all controllers share one watch of a kind, which starts with a bookmark, or with contents for a cache (3.31)", async () => {
  for (const cached of [[], [at(Ints.type, "")]]) {
    const inner = new MemoryState();
    const opened: string[] = [];
    class Counted extends FilteredState {
      override async watchKind(kind: Kind, options: WatchKindOptions = {}) {
        const { bootstrapContents = false, bootstrapBookmark = false } = options;
        opened.push(`${kind.type} ${bootstrapContents} ${bootstrapBookmark}`);
        return await super.watchKind(kind, options);
      }
    }
    const nothing = () => Promise.resolve();
    await using running = new Running(new Counted(inner, () => {}), [
      defineController({ name: "test.All", inputs: [weak(Ints)], outputs: [], reconcile: nothing }),
      defineController({ name: "test.One", inputs: [weak(Ints, { id: "a" })], outputs: [], reconcile: nothing }),
      defineQController({ name: "test.Queue", inputs: [qPrimary(Ints)], outputs: [], reconcile: nothing }),
    ], { cached });
    running.runtime.register(
      defineController({ name: "test.Late", inputs: [destroyReady(Ints)], outputs: [], reconcile: nothing }),
    );
    await inner.create(newResource(Ints, "a", { value: 1 }));
    while (running.runtime.status()[2]?.runs === 0) await new Promise((resolve) => setImmediate(resolve));
    deepStrictEqual(opened, [`${Ints.type} ${cached.length > 0} ${cached.length === 0}`]);
  }
});

Deno.test("a destroyReady input does not mute another on the same kind (3.22)", async () => {
  const state = new MemoryState();
  let runs = 0;
  await using _ = new Running(state, [
    defineController({
      name: "test.Both",
      inputs: [destroyReady(Ints), weak(Ints, { id: "one" })],
      outputs: [exclusive(Sums)],
      async reconcile(r) {
        await r.modify(Sums, "runs", { value: ++runs });
      },
    }),
  ]);
  await seen(state, Sums.type, "runs");
  await state.create(newResource(Ints, "other", { value: 1 }));
  await state.create(newResource(Ints, "one", { value: 1 }));
  await seen(state, Sums.type, "runs", ({ value }) => value === 2);
  await set(state, "one", 2);
  await seen(state, Sums.type, "runs", ({ value }) => value === 3);
});

Deno.test("a transform lets go of an input whose output is another's (4.8)", async () => {
  const state = new MemoryState();
  const finalize = () => {};
  await using _ = new Running(state, [
    defineTransform({ name: "test.Holding", from: Ints, to: Doubles, map: ({ spec }) => ({ spec }), finalize }),
  ]);
  await state.create(newResource(Doubles, "taken", { value: 7 }), { owner: "other" });
  await state.create(newResource(Ints, "taken", { value: 1 }));
  await watchFor(state, at(Ints.type, "taken"), { condition: ({ metadata }) => metadata.finalizers.length === 1 });
  await state.teardown(at(Ints.type, "taken"));
  await watchFor(state, at(Ints.type, "taken"), { finalizersEmpty: true });
  await seen(state, Doubles.type, "taken", ({ value }) => value === 7);
});

Deno.test("a transform lets go of an input whose output has become another input's", async () => {
  const state = new MemoryState();
  await using _ = new Running(state, [
    defineTransform({
      name: "test.Slot",
      from: Ints,
      to: Doubles,
      map: ({ spec }) => spec.value === 0 ? undefined : { id: "slot", spec },
      finalize: () => {},
    }),
  ]);
  await state.create(newResource(Ints, "b", { value: 0 }));
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "slot", ({ value }) => value === 1);
  const { metadata } = await watchFor(state, at(Ints.type, "b"), {
    condition: ({ metadata }) => metadata.finalizers.length === 1,
  });
  const ending = state.teardown(at(Ints.type, "a")); // in one turn, so that the slot is never free
  state.updateNow({ metadata, spec: { value: 2 } });
  await ending;
  await seen(state, Doubles.type, "slot", ({ value }) => value === 2);
  await watchFor(state, at(Ints.type, "a"), { finalizersEmpty: true });
});

Deno.test("a transform tries again to end an output, also while it does not know those of another input", async () => {
  const inner = new MemoryState();
  let refusals = 1;
  const state = new FilteredState(inner, (_namespace, _type, id, verb) => {
    if (verb === "destroy" && id === "b" && refusals-- > 0) throw new Error("not now");
  });
  await using running = new Running(state, [
    defineTransform({
      name: "test.Stubborn",
      from: Ints,
      to: Doubles,
      map({ spec }) {
        if (spec.value < 0) throw new Error("no luck");
        return { spec };
      },
    }),
  ]);
  await inner.create(newResource(Ints, "a", { value: -1 }));
  await inner.create(newResource(Ints, "b", { value: 1 }));
  await seen(inner, Doubles.type, "b");
  await inner.destroy(at(Ints.type, "b"));
  await gone(inner, Doubles.type, "b");
  ok(running.lines.some((line) => line.includes("not now")));
});

Deno.test("an input that is gone when it is to be held is no failure", async () => {
  const inner = new MemoryState();
  const ghosts = [Ints, Sums].map((definition) => newResource(definition, "ghost", { value: 1 }));
  class Stale extends FilteredState {
    override async list(kind: Kind, query?: Query) {
      return [...await super.list(kind, query), ...ghosts.filter(({ metadata }) => metadata.type === kind.type)];
    }
  }
  const finalize = () => Promise.resolve();
  const map = ({ spec }: { spec: Int }) => ({ spec });
  await using running = new Running(new Stale(inner, () => {}), [
    defineTransform({ name: "test.T", from: Ints, to: Doubles, map, finalize }),
    defineCleanup({ name: "test.C", from: Sums, handler: { inputs: [], outputs: [], finalize } }),
  ]);
  await inner.create(newResource(Ints, "a", { value: 1 }));
  await seen(inner, Doubles.type, "a");
  deepStrictEqual(running.lines, []);
});

Deno.test("a queued transform ignores inputs without an output, and knows its dependencies (4.14, 4.15)", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "x-ignored", { value: 1 }));
  await state.create(newResource(Ints, "taken", { value: 1 }));
  await using running = new Running(state, [
    defineQTransform({
      name: "test.Picky",
      from: Ints,
      to: Doubles,
      outputId: ({ metadata }) => metadata.id.startsWith("x-") ? undefined : metadata.id,
      inputId: (id) => id,
      map: ({ spec }) => ({ spec }),
    }),
  ]);
  await seen(state, Doubles.type, "taken");
  strictEqual((await state.get(at(Ints.type, "x-ignored"))).metadata.finalizers.length, 0);
  deepStrictEqual(running.runtime.dependencies().map(({ edge, type }) => `${edge} ${type}`), [
    `outputExclusive ${Doubles.type}`,
    `inputQPrimary ${Ints.type}`,
    `inputQMappedDestroyReady ${Doubles.type}`,
  ]);
});
