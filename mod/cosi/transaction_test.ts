import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import {
  ConflictError,
  MemoryState,
  newMetadata,
  NotFoundError,
  type Resource,
  type Transaction,
  type WatchEvent,
} from "./mod.ts";

const KIND = { namespace: "default", type: "Things.test.dev" };
const OTHER = { namespace: "default", type: "Others.test.dev" };
const thing = (id: string, kind = KIND): Resource => ({ metadata: newMetadata({ ...kind, id }), spec: {} });
const texts = (events: readonly WatchEvent[]) =>
  events.map(({ type, resource: { metadata } }) => `${type} ${metadata.id}@${metadata.version}`);

Deno.test("transact() stores all writes, in their order, before anybody is woken", async () => {
  const state = new MemoryState();
  state.createNow(thing("old"));
  const seen: unknown[] = [];
  using watch = state.watchKindNow(KIND, {
    wake: () => seen.push(state.listNow(KIND).length, state.listNow(OTHER).length),
  });
  const version = await state.transact((tx) => {
    tx.create(thing("a"));
    tx.create(thing("b", OTHER));
    tx.update(tx.get({ ...KIND, id: "a" }));
    tx.destroy({ ...KIND, id: "old" });
    strictEqual(tx.find({ ...KIND, id: "old" }), undefined);
    strictEqual(tx.teardown({ ...OTHER, id: "b" }), true);
    return tx.modify({ ...KIND, id: "a" }, (current) => current ?? thing("a")).metadata.version;
  });
  strictEqual(version, 2n);
  deepStrictEqual(seen, [1, 1]);
  deepStrictEqual(texts(watch.take()), ["created a@1", "updated a@2", "destroyed old@1"]);
  strictEqual(state.getNow({ ...OTHER, id: "b" }).metadata.phase, "tearingDown");
});

Deno.test("transact() stores nothing when a write is refused or the work throws", async () => {
  const state = new MemoryState();
  state.createNow(thing("a"));
  using watch = state.watchKindNow(KIND);
  const twice = (tx: Transaction) => {
    tx.create(thing("b"));
    tx.create(thing("a"));
  };
  await rejects(state.transact(twice), ConflictError);
  await rejects(state.transact((tx) => tx.destroy({ ...KIND, id: "x" })), NotFoundError);
  await rejects(state.transact((tx) => Promise.resolve(tx.create(thing("c")))), TypeError);
  strictEqual(state.listNow(KIND).length, 1);
  deepStrictEqual(watch.take(), []);
});

Deno.test("transact() does not store over what its own work wrote past it", () => {
  const state = new MemoryState();
  state.createNow(thing("a"));
  const past = (tx: Transaction) => {
    tx.update(tx.get({ ...KIND, id: "a" }));
    state.updateNow(state.getNow({ ...KIND, id: "a" }));
  };
  throws(() => state.transactNow(past), ConflictError);
  strictEqual(state.getNow({ ...KIND, id: "a" }).metadata.version, 2n);
});

Deno.test("a transaction cannot be used after its end", () => {
  const state = new MemoryState();
  const kept = state.transactNow((tx) => tx);
  throws(() => kept.create(thing("a")), TypeError);
});

Deno.test("a transaction with more writes than history holds overruns nobody who hears of them in time", () => {
  const state = new MemoryState({ initial: 8, max: 64, gap: 4 });
  const events: string[] = [];
  using watch = state.watchKindNow(KIND, { wake: () => events.push(...texts(watch.take())) });
  const ids = Array.from({ length: 200 }, (_, at) => `${at}`);
  state.transactNow((tx) => ids.forEach((id) => tx.create(thing(id))));
  deepStrictEqual(events, ids.map((id) => `created ${id}@1`));
});

Deno.test("history() tells who wrote the last versions, newest first", async () => {
  const state = new MemoryState();
  const place = { ...KIND, id: "a" };
  deepStrictEqual(await state.history(place, 5), []);
  state.createNow(thing("a"), { owner: "one" });
  state.createNow(thing("b"));
  state.updateNow(state.getNow(place), { owner: "one" });
  state.destroyNow(place, { owner: "one" });
  state.createNow(thing("a"), { owner: "two" });
  const shown = (await state.history(place, 3)).map(({ change, resource: { metadata } }) =>
    `${change} @${metadata.version} ${metadata.owner}`
  );
  deepStrictEqual(shown, ["created @1 two", "destroyed @2 one", "updated @2 one"]);
});
