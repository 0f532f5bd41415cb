import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  FilteredState,
  listPage,
  MemoryState,
  NamespacedState,
  newMetadata,
  NotFoundError,
  OpaqueSpec,
  OverrunError,
  patchResource,
  PhaseConflictError,
  type Resource,
  type State,
  UnsupportedError,
  type WatchEvent,
} from "./mod.ts";

const KIND = { namespace: "default", type: "Things.test.dev" };
const at = (id: string) => ({ ...KIND, id });
const thing = (id: string, spec: unknown = {}): Resource => ({ metadata: newMetadata(at(id)), spec });
const texts = (events: readonly WatchEvent[]) =>
  events.map(({ type, resource: { metadata } }) => `${type} ${metadata.id}@${metadata.version}`);

/** A state that is only a `State`. */
function plain(state: State): State {
  return new NamespacedState(() => state);
}

Deno.test("listPage() gives every object once, whatever comes and goes in between (9.16)", async () => {
  const state = new MemoryState();
  const ids = ["", "a", "b", "c", "Ａ", "𝒳"];
  for (const id of ids) state.createNow(thing(id));
  const seen: string[] = [];
  let continueToken: string | undefined;
  do {
    const page = await listPage(state, KIND, { limit: 2, ...(continueToken === undefined ? {} : { continueToken }) });
    seen.push(...page.resources.map(({ metadata }) => metadata.id));
    ({ continueToken } = page);
    if (seen.at(-1) === "a") state.destroyNow(at("a"));
  } while (continueToken !== undefined);
  deepStrictEqual(seen, ids);
  const some = await listPage(state, KIND, { limit: 5, id: "b|c" });
  deepStrictEqual([some.resources.length, some.continueToken], [2, undefined]);
  await rejects(listPage(state, KIND, { limit: 0 }), RangeError);
  for (const token of ["", "?", "AA"]) {
    await rejects(listPage(state, KIND, { limit: 1, continueToken: token }), SyntaxError);
  }
});

for (const wrap of [(state: State) => state, plain]) {
  Deno.test(`patchResource() changes what it names, in ${wrap === plain ? "any" : "a transactional"} state`, async () => {
    const memory = new MemoryState();
    const state = wrap(memory);
    const spec = { a: 1, deep: { x: [1, 2], y: "old" }, gone: true };
    memory.createNow({ metadata: newMetadata(at("a"), { labels: new Map([["k", "1"], ["l", "2"]]) }), spec }, {
      owner: "me",
    });
    const patch = {
      spec: { deep: { x: [3], z: 0 }, gone: null, ["__proto__"]: { p: 1 } },
      labels: new Map([["k", null], ["m", "3"]]),
    };
    const stored = await patchResource(state, at("a"), patch, { owner: "me" });
    const expected = { a: 1, deep: { x: [3], y: "old", z: 0 } };
    deepStrictEqual(
      stored.spec,
      Object.fromEntries([...Object.entries(expected), ...Object.entries(patch.spec).slice(2)]),
    );
    deepStrictEqual([...stored.metadata.labels], [["l", "2"], ["m", "3"]]);
    strictEqual((await patchResource(state, at("a"), patch, { owner: "me" })).metadata.version, 2n);
    await rejects(patchResource(state, at("x"), patch), NotFoundError);
    memory.createNow(thing("o", new OpaqueSpec(undefined, "")));
    await rejects(patchResource(state, at("o"), patch), TypeError);
    memory.teardownNow(at("o"));
    await rejects(patchResource(state, at("o"), {}), PhaseConflictError);
  });
}

Deno.test("a watch that may resync starts over when it falls behind (9.1, 9.2)", () => {
  const state = new MemoryState({ initial: 2, max: 8, gap: 1 });
  using watch = state.watchKindNow(KIND, { resync: true, id: "^[ab]" });
  using single = state.watchNow(at("a"), { resync: true });
  single.take();
  for (const id of ["a", "b", "c"]) state.createNow(thing(id));
  for (let turn = 0; turn < 20; turn++) state.updateNow(state.getNow(at("c")));
  state.destroyNow(at("b"));
  const events = watch.take();
  ok(events[0]?.error instanceof OverrunError);
  deepStrictEqual(texts(events), ["noop @undefined", "created a@1", "bootstrapped @undefined"]);
  deepStrictEqual(texts(single.take()), ["noop a@undefined", "created a@1"]);
  state.updateNow(state.getNow(at("a")));
  deepStrictEqual(texts(watch.take()), ["updated a@2"]);
  deepStrictEqual(texts(single.take()), ["updated a@2"]);
  const { bookmark } = events.at(-1) ?? {};
  ok(bookmark !== undefined);
  using later = state.watchKindNow(KIND, { startFromBookmark: bookmark });
  deepStrictEqual(texts(later.take()), ["updated a@2"]);
});

Deno.test("NamespacedState asks once for each namespace and type (2.40)", async () => {
  const asked: string[] = [];
  const states = new Map([["default", new MemoryState()], ["other", new MemoryState()]]);
  const state = new NamespacedState(({ namespace, type }) => {
    asked.push(`${namespace}/${type}`);
    return states.get(namespace) ?? plain(new MemoryState());
  });
  await state.create(thing("a"));
  await state.update(await state.get(at("a")));
  const other = { ...at("a"), namespace: "other" };
  await rejects(state.get(other), NotFoundError);
  deepStrictEqual(asked, [`default/${KIND.type}`, `other/${KIND.type}`]);
  strictEqual(states.get("default")?.getNow(at("a")).metadata.version, 2n);
  strictEqual((await state.history(at("a"), 5)).length, 2);
  const bare = new NamespacedState(() => new FilteredState(new MemoryState(), () => {}));
  await rejects(bare.history(at("a"), 5), UnsupportedError);
});
