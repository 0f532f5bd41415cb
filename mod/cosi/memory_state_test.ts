import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import {
  compareText,
  InvalidBookmarkError,
  loadPatterns,
  MemoryState,
  newMetadata,
  OverrunError,
  type Resource,
  type WatchEvent,
} from "./mod.ts";

const KIND = { namespace: "default", type: "Things.test.dev" };
const pointer = (id: string) => ({ ...KIND, id });
const thing = (id: string, spec: unknown = {}): Resource => ({ metadata: newMetadata(pointer(id)), spec });

function summary(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, resource: { metadata }, old }) =>
    `${type} ${metadata.id}@${metadata.version}${old === undefined ? "" : ` was @${old.metadata.version}`}`
  );
}

function touch(state: MemoryState, id: string, times = 1): void {
  for (let turn = 0; turn < times; turn++) state.updateNow({ ...state.getNow(pointer(id)), spec: { turn } });
}

Deno.test("MemoryState freezes what it stores and shares it", () => {
  const state = new MemoryState();
  const labels = new Map([["a", "1"]]);
  const spec = { list: [{ deep: 1 }] };
  const stored = state.createNow({ metadata: newMetadata(pointer("x"), { labels }), spec });
  labels.set("a", "2");
  strictEqual(stored.metadata.labels.get("a"), "1");
  strictEqual(state.getNow(pointer("x")), stored);
  strictEqual(state.listNow(KIND)[0], stored);
  throws(() => (spec.list[0] as { deep: number }).deep = 2, TypeError);
  throws(() => (stored.metadata.labels as Map<string, string>).set("a", "3"), TypeError);
});

Deno.test("MemoryState answers with the same list until something changes", () => {
  const state = new MemoryState();
  for (const id of ["c", "a", "b"]) state.createNow(thing(id));
  const ids = () => state.listNow(KIND).map(({ metadata }) => metadata.id).join("");
  strictEqual(state.listNow(KIND), state.listNow(KIND));
  state.destroyNow(pointer("b"));
  state.createNow(thing("aa"));
  strictEqual(ids(), "aaac");
  state.createNow(thing("b"));
  strictEqual(ids(), "aaabc");
  touch(state, "b");
  strictEqual(state.listNow(KIND)[2]?.metadata.version, 2n);
});

Deno.test("MemoryState keeps lists sorted through random creates and destroys", () => {
  const state = new MemoryState();
  const ids = new Set<string>();
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let turn = 0; turn < 3000; turn++) {
    const id = `${random(5) === 0 && turn > 1500 ? "𝒳" : "x"}${random(800)}`;
    if (ids.delete(id)) {
      state.destroyNow(pointer(id));
    } else {
      ids.add(id);
      state.createNow(thing(id));
    }
    const touched = `x${random(800)}`;
    if (ids.has(touched)) touch(state, touched, random(3));
    if (random(20) !== 0) continue;
    const listed = state.listNow(KIND).map(({ metadata }) => metadata.id);
    deepStrictEqual(listed, [...ids].sort(compareText));
    for (const id of ids) {
      if (random(9) === 0) touch(state, id);
    }
    for (const resource of state.listNow(KIND)) strictEqual(resource, state.getNow(resource.metadata));
  }
});

Deno.test("a watch that falls behind gets an overrun error and nothing after it", () => {
  const state = new MemoryState({ initial: 2, max: 4, gap: 1 });
  const watch = state.watchKindNow(KIND);
  state.createNow(thing("a"));
  touch(state, "a", 3);
  deepStrictEqual(summary(watch.take()), [
    "created a@1",
    "updated a@2 was @1",
    "updated a@3 was @2",
    "updated a@4 was @3",
  ]);
  touch(state, "a", 5);
  const [event, ...more] = watch.take();
  strictEqual(event?.type, "errored");
  strictEqual(event.error instanceof OverrunError, true);
  strictEqual(more.length, 0);
  touch(state, "a");
  strictEqual(watch.take().length, 0);
});

Deno.test("a quiet single watch is not overrun by its neighbours", () => {
  const state = new MemoryState({ initial: 2, max: 4, gap: 1 });
  const watch = state.watchNow(pointer("quiet"));
  deepStrictEqual(summary(watch.take()), ["destroyed quiet@undefined"]);
  state.createNow(thing("loud"));
  touch(state, "loud", 20);
  state.createNow(thing("quiet"));
  deepStrictEqual(summary(watch.take()), ["created quiet@1"]);
});

const merges: [name: string, before: string, change: (state: MemoryState) => void, events: string[]][] = [
  ["updates", "a", (s) => touch(s, "a", 30), ["updated a@31 was @1"]],
  ["a creation and updates", "", (s) => (s.createNow(thing("a")), touch(s, "a", 20)), ["created a@21"]],
  [
    "an object that came and went",
    "",
    (s) => (s.createNow(thing("a")), touch(s, "a", 9), s.destroyNow(pointer("a"))),
    ["destroyed a@10"],
  ],
  ["updates and the end", "a", (s) => (touch(s, "a", 9), s.destroyNow(pointer("a"))), ["destroyed a@10"]],
  ["the end and a new beginning", "a", (s) => (s.destroyNow(pointer("a")), s.createNow(thing("a"))), [
    "updated a@1 was @1",
  ]],
  ["several objects in the order of their last change", "ab", (s) => (touch(s, "a"), touch(s, "b"), touch(s, "a")), [
    "updated b@2 was @1",
    "updated a@3 was @1",
  ]],
];
for (const [name, before, change, events] of merges) {
  Deno.test(`a coalescing watch merges ${name}`, () => {
    const state = new MemoryState({ initial: 2, max: 4, gap: 1 });
    for (const id of before) state.createNow(thing(id));
    const watch = state.watchKindNow(KIND, { coalesce: true });
    change(state);
    deepStrictEqual(summary(watch.take()), events);
    deepStrictEqual(watch.take(), []);
  });
}

Deno.test("wake is called once until the events are taken", () => {
  const state = new MemoryState();
  let woken = 0;
  const watch = state.watchKindNow(KIND, { wake: () => woken++ });
  state.createNow(thing("a"));
  touch(state, "a", 5);
  strictEqual(woken, 1);
  strictEqual(watch.take().length, 6);
  touch(state, "a");
  strictEqual(woken, 2);
});

Deno.test("wake is not called for events that the query leaves out", async () => {
  const state = new MemoryState();
  let woken = 0;
  await loadPatterns({ id: "^b" });
  using watch = state.watchKindNow(KIND, { id: "^b", wake: () => woken++ });
  state.createNow(thing("a"));
  strictEqual(woken, 0);
  state.createNow(thing("b"));
  strictEqual(woken, 1);
  deepStrictEqual(summary(watch.take()), ["created b@1"]);
});

Deno.test("readers that write when woken keep the order of events for all", () => {
  const state = new MemoryState();
  const first = state.watchKindNow(KIND, {
    wake: () => void (state.findNow(KIND.namespace, KIND.type, "b") ?? state.createNow(thing("b"))),
  });
  const second = state.watchKindNow(KIND);
  state.createNow(thing("a"));
  deepStrictEqual(summary(second.take()), ["created a@1", "created b@1"]);
  deepStrictEqual(summary(first.take()), ["created a@1", "created b@1"]);
});

Deno.test("a reader whose wake throws harms nobody but itself", () => {
  const state = new MemoryState();
  const watch = state.watchKindNow(KIND, {
    wake: () => {
      throw new Error("oops");
    },
  });
  const other = state.watchKindNow(KIND);
  state.createNow(thing("a"));
  strictEqual(watch.take()[0]?.error?.message, "oops");
  strictEqual(other.take().length, 1);
});

Deno.test("a watch iterates batches and ends when disposed", async () => {
  const state = new MemoryState();
  const watch = state.watchKindNow(KIND);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const events of watch) seen.push(...summary(events));
  })();
  for (let count = 0; count < 3000; count++) {
    state.createNow(thing(`${count}`));
    if (count % 200 === 0) await Promise.resolve();
  }
  await new Promise((resolve) => setImmediate(resolve));
  watch[Symbol.dispose]();
  await reading;
  strictEqual(seen.length, 3000);
  strictEqual(seen.at(-1), "created 2999@1");
});

Deno.test("bookmarks outside history, of other collections, states and lengths are refused", async () => {
  const state = new MemoryState({ initial: 2, max: 8, gap: 2 });
  const watch = state.watchKindNow(KIND, { bootstrapBookmark: true });
  const [noop] = watch.take();
  state.createNow(thing("a"));
  touch(state, "a", 4);
  const [created] = watch.take();
  const start = (startFromBookmark: Uint8Array | undefined, kind = KIND, from = state) =>
    from.watchKind(kind, startFromBookmark === undefined ? {} : { startFromBookmark });
  strictEqual((await start(noop?.bookmark)).take().length, 5);
  strictEqual((await start(created?.bookmark)).take().length, 4);
  touch(state, "a", 4);
  const flipped = created?.bookmark?.slice();
  if (flipped !== undefined) flipped[7] = (flipped[7] ?? 0) ^ 1;
  await rejects(start(created?.bookmark), InvalidBookmarkError);
  await rejects(start(noop?.bookmark), InvalidBookmarkError);
  await rejects(start(flipped), InvalidBookmarkError);
  await rejects(start(new Uint8Array(16)), InvalidBookmarkError);
  const fresh = state.watchKindNow(KIND, { bootstrapBookmark: true }).take()[0]?.bookmark;
  deepStrictEqual((await start(fresh)).take(), []);
  await rejects(start(fresh, { ...KIND, type: "Others.test.dev" }), InvalidBookmarkError);
  await rejects(start(fresh, KIND, new MemoryState()), InvalidBookmarkError);
  const future = fresh?.slice() ?? new Uint8Array();
  new DataView(future.buffer).setUint8(future.length - 1, 200);
  await rejects(start(future), InvalidBookmarkError);
});

Deno.test("the bookmark of an empty collection is before all of its events, and of no event of an object (2.28, 2.34)", async () => {
  const state = new MemoryState();
  const startFromBookmark = state.watchKindNow(KIND, { bootstrapContents: true }).take()[0]?.bookmark ??
    new Uint8Array();
  state.createNow(thing("a"));
  deepStrictEqual(summary((await state.watchKind(KIND, { startFromBookmark })).take()), ["created a@1"]);
  await rejects(state.watch(pointer("a"), { startFromBookmark }), InvalidBookmarkError);
});
