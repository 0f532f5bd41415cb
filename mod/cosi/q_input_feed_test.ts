import { deepStrictEqual } from "node:assert/strict";
import {
  addFinalizer,
  defineQController,
  exclusive,
  FilteredState,
  type Kind,
  MemoryState,
  newResource,
  qMapped,
  qPrimary,
  type Resource,
  watchFor,
  type WatchKindOptions,
} from "./mod.ts";
import { changeMetadata } from "./metadata_edit.ts";
import { at, Doubles, gone, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

const pass = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A state whose kind watches break at the next event, and cannot be opened, while it is broken. */
class FragileState extends FilteredState {
  readonly #inner: MemoryState;
  isBroken = false;

  constructor(inner: MemoryState) {
    super(inner, () => {});
    this.#inner = inner;
  }

  override async watchKind(kind: Kind, options: WatchKindOptions = {}) {
    if (this.isBroken) throw new Error("no connection");
    const wake = () => {
      options.wake?.();
      if (this.isBroken) throw new Error("connection lost");
    };
    return await this.#inner.watchKind(kind, { ...options, wake });
  }
}

Deno.test("a broken watch leaves no object of a queue unseen, nor the end of one (9.1)", async () => {
  const state = new MemoryState();
  const fragile = new FragileState(state);
  await using running = new Running(fragile, [
    defineQController({
      name: "test.QResync",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        const int = await r.get(Ints, id);
        if (int === undefined) await r.destroy(Doubles, id);
        else await r.modify(Doubles, id, { value: int.spec.value });
      },
    }),
  ]);
  for (const id of ["a", "b"]) await state.create(newResource(Ints, id, { value: 1 }));
  await seen(state, Doubles.type, "b");
  fragile.isBroken = true;
  await set(state, "a", 2); // breaks the watch
  while (!running.lines.some((line) => line.includes("no connection"))) await pass();
  await state.destroy(at(Ints.type, "b"));
  await state.create(newResource(Ints, "c", { value: 3 }));
  fragile.isBroken = false;
  await seen(state, Doubles.type, "a", ({ value }) => value === 2);
  await seen(state, Doubles.type, "c", ({ value }) => value === 3);
  await gone(state, Doubles.type, "b");
});

Deno.test("a broken watch leaves the end of no mapped object unseen, also of one from before the start (9.1)", async () => {
  const state = new MemoryState();
  const fragile = new FragileState(state);
  await state.create(newResource(Sums, "old", { value: 7 }));
  await state.create(newResource(Ints, "a", { value: 1 }));
  await using running = new Running(fragile, [
    defineQController({
      name: "test.QMappedResync",
      inputs: [qPrimary(Ints), qMapped(Sums)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        await r.modify(Doubles, id, { value: (await r.get(Sums, "old"))?.spec.value ?? 0 });
      },
      mapInput: () => [at(Ints.type, "a") as never],
    }),
  ]);
  await seen(state, Doubles.type, "a", ({ value }) => value === 7);
  fragile.isBroken = true;
  await state.create(newResource(Sums, "other", { value: 1 })); // breaks the watch
  while (!running.lines.some((line) => line.includes("no connection"))) await pass();
  await state.destroy(at(Sums.type, "old"));
  fragile.isBroken = false;
  await seen(state, Doubles.type, "a", ({ value }) => value === 0);
});

Deno.test("primary objects of a cached kind are listed from the cache (3.17)", async () => {
  const state = new MemoryState();
  for (const id of ["a", "b"]) await state.create(newResource(Ints, id, { value: 1 }));
  const ids: string[] = [];
  await using running = new Running(state, [
    defineQController({
      name: "test.QCached",
      inputs: [qPrimary(Ints)],
      outputs: [],
      reconcile(_r, { id }) {
        ids.push(id);
        return Promise.resolve();
      },
    }),
  ], { cached: [{ namespace: Ints.namespace, type: Ints.type }] });
  while (ids.length < 2) await pass();
  deepStrictEqual([ids, running.runtime.status()[0]?.reads], [["a", "b"], 0]);
});

Deno.test("an object that was made anew holds up nobody who waited for the end of the one before", async () => {
  const state = new MemoryState();
  const owner = "test.QWaiting";
  const runs: string[] = [];
  await state.create(newResource(Ints, "a", { value: 1 }));
  await state.create(newResource(Doubles, "a", { value: 1 }), { owner });
  await addFinalizer(state, at(Doubles.type, "a"), "holder");
  await using _ = new Running(state, [
    defineQController({
      name: owner,
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        if (runs.push(id) === 1) await r.teardown(Doubles, id);
      },
    }),
  ]);
  const held = await watchFor(state, at(Doubles.type, "a"), { phases: ["tearingDown"] });
  await pass();
  deepStrictEqual(runs, ["a"]);
  state.updateNow(letGo(held), { owner, expectedPhase: "any" });
  state.destroyNow(at(Doubles.type, "a"), { owner });
  state.createNow(newResource(Doubles, "a", { value: 2 }), { owner });
  await pass();
  deepStrictEqual(runs, ["a", "a"]);
});

function letGo({ metadata, spec }: Resource): Resource {
  return { metadata: changeMetadata(metadata, { finalizers: [] }), spec };
}
