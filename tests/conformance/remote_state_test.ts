/** The gRPC client as a state: the whole suite, and what only a client can do wrong. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { ApiError, type Handler, RemoteState } from "../../mod/api/mod.ts";
import {
  ConflictError,
  EPOCH,
  FilteredState,
  listPage,
  MemoryState,
  NotFoundError,
  OpaqueSpec,
  OverrunError,
  OwnerConflictError,
  removeFinalizer,
  teardownAndDestroy,
  VersionConflictError,
  type Watch,
  type WatchEvent,
  withFinalizer,
} from "../../mod/cosi/mod.ts";
import { ServedState, serveMemory } from "./served_state.ts";
import { at, eventText, idsOf, KIND, Reader, refused, thing, touch } from "./state_fixture.ts";
import { testState } from "./state_suite.ts";

testState("RemoteState", async () => {
  const served = await serveMemory();
  return { state: served.remote(), [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
});

Deno.test("a client that knows no type gets opaque objects and hands them on (5.20)", async () => {
  await using served = await serveMemory();
  const remote = new RemoteState(served.client);
  served.state.createNow(thing("a", 5));
  const resource = await remote.get(at("a"));
  deepStrictEqual(resource.spec, new OpaqueSpec(Uint8Array.of(8, 5), "value: 5\n"));
  await remote.update(resource);
  deepStrictEqual((await served.remote().get(at("a"))).spec, { value: 5 });
});

Deno.test("what create and update answer with is what is stored (5.25, 9.8)", async () => {
  await using served = await serveMemory();
  const remote = served.remote();
  const old = { ...thing("a"), metadata: { ...thing("a").metadata, created: EPOCH, updated: EPOCH } };
  const created = await remote.create(old, { owner: "me" });
  deepStrictEqual(created, served.state.getNow(at("a")));
  deepStrictEqual(await remote.update(created, { owner: "me" }), served.state.getNow(at("a")));
});

Deno.test("errors over the wire carry what errors here carry (9.20)", async () => {
  await using served = await serveMemory();
  const remote = served.remote();
  const stored = await remote.create(thing("a"), { owner: "me" });
  const stale = { ...stored, metadata: { ...stored.metadata, version: 7n } };
  await rejects(remote.update(stale, { owner: "me" }), (error: unknown) => {
    ok(error instanceof VersionConflictError);
    deepStrictEqual([error.given, error.stored, error.pointer.id], ["7", "1", "a"]);
    return true;
  });
  await rejects(remote.update(stored), (error: unknown) => error instanceof OwnerConflictError && error.owner === "me");
  await refused(remote.teardown(at("a")), "owner");
  await rejects(remote.teardown(at("b")), NotFoundError);
  await rejects(teardownAndDestroy(remote, at("b")), NotFoundError);
});

Deno.test("a server without the Teardown call gets a read and a write, for good (5.26)", async () => {
  const isOld = ({ method: { path } }: Handler) => !path.includes("Teardown");
  await using served = await ServedState.start(new MemoryState(), undefined, isOld);
  const remote = served.remote();
  await remote.create(thing("a"), { owner: "me" });
  await refused(remote.teardown(at("a")), "owner");
  strictEqual(await remote.teardown(at("a"), { owner: "me" }), true);
  strictEqual((await remote.get(at("a"))).metadata.phase, "tearingDown");
  strictEqual(await remote.teardown(at("a"), { owner: "me" }), true);
  await rejects(remote.teardown(at("b")), NotFoundError);
  await teardownAndDestroy(remote, at("a"), { owner: "me" });
  await rejects(remote.get(at("a")), NotFoundError);
});

Deno.test("TeardownAndDestroy is one call, which its caller can give up (5.8, 5.26)", async () => {
  const asked: string[] = [];
  const state = new FilteredState(new MemoryState(), (_namespace, _type, _id, verb) => void asked.push(verb));
  await using served = await ServedState.start(state);
  const remote = served.remote();
  const { metadata, spec } = thing("a");
  await remote.create({ metadata: withFinalizer(metadata, "f"), spec });
  const stop = new AbortController();
  using reader = new Reader(await remote.watch(at("a")));
  const waiting = teardownAndDestroy(remote, at("a"), {}, stop.signal);
  await reader.expect("created a@1 ~", "updated a@2 was @1");
  stop.abort(new Error("enough"));
  await rejects(waiting, /enough/);
  const ended = teardownAndDestroy(remote, at("a"));
  await removeFinalizer(remote, at("a"), "f");
  await ended;
  await reader.expect("updated a@3 was @2", "destroyed a@3");
  strictEqual(asked.filter((verb) => verb === "teardown").length, 2);
});

Deno.test("pages of a list come one by one, filtered (9.16)", async () => {
  await using served = await serveMemory();
  const remote = served.remote();
  for (const id of ["d", "a", "c", "b", "e"]) served.state.createNow(thing(id));
  const first = await listPage(remote, KIND, { limit: 2 });
  deepStrictEqual(await idsOf(Promise.resolve(first.resources)), ["a", "b"]);
  served.state.destroyNow(at("b"));
  const second = await listPage(remote, KIND, { limit: 2, continueToken: first.continueToken ?? "" });
  deepStrictEqual(await idsOf(Promise.resolve(second.resources)), ["c", "d"]);
  const third = await listPage(remote, KIND, { limit: 2, continueToken: second.continueToken ?? "" });
  deepStrictEqual([await idsOf(Promise.resolve(third.resources)), third.continueToken], [["e"], undefined]);
  deepStrictEqual(await idsOf(listPage(remote, KIND, { limit: 9, id: "[ce]" }).then((page) => page.resources)), [
    "c",
    "e",
  ]);
  await rejects(listPage(remote, KIND, { limit: 0 }), RangeError);
  await rejects(
    listPage(remote, KIND, { limit: 1, continueToken: "?" }),
    (error: unknown) => error instanceof ApiError && error.code === "INVALID_ARGUMENT",
  );
});

Deno.test("a watch without specs brings metadata only (9.29)", async () => {
  await using served = await serveMemory();
  served.state.createNow(thing("a", 5, { app: "x" }));
  using reader = new Reader(
    await new RemoteState(served.client).watchKind(KIND, { bootstrapContents: true, metadataOnly: true }),
  );
  const [first] = await reader.expect("created a@1 ~", "bootstrapped @undefined");
  deepStrictEqual(first?.resource.spec, new OpaqueSpec(undefined, ""));
  strictEqual(first?.resource.metadata.labels.get("app"), "x");
  await touch(served.state, "a");
  const [changed] = await reader.expect("updated a@2 was @1");
  deepStrictEqual(changed?.old?.spec, new OpaqueSpec(undefined, ""));
});

Deno.test("large contents come as one batch although they travel in several messages", async () => {
  await using served = await serveMemory();
  for (let count = 0; count < 30_000; count++) served.state.createNow(thing(String(count).padStart(5, "0"), count));
  using watch = await served.remote().watchKind(KIND, { bootstrapContents: true });
  const { value } = await watch[Symbol.asyncIterator]().next();
  strictEqual(value?.length, 30_001);
  strictEqual(value.at(-1)?.type, "bootstrapped");
});

Deno.test("a consumer that does not read holds the stream up, and learns that it fell behind (10.14)", async () => {
  await using served = await ServedState.start(new MemoryState({ max: 1024 }));
  using reader = new Reader(await served.remote({ retry: false }).watchKind(KIND, { bootstrapBookmark: true }));
  served.state.createNow(thing("a"));
  for (let turn = 0; turn < 400; turn++) {
    for (let count = 0; count < 500; count++) served.state.updateNow(served.state.getNow(at("a")));
    await new Promise((resolve) => setImmediate(resolve));
  }
  let event = await reader.next();
  let seen = 0;
  for (; event.type !== "errored"; event = await reader.next()) seen++;
  ok(seen >= 1024 && seen < 150_000, `${seen} events were buffered`);
  ok(event.error instanceof OverrunError, String(event.error));
});

Deno.test("a coalescing consumer is woken and gets the latest state, however much happens (9.2)", async () => {
  await using served = await ServedState.start(new MemoryState({ max: 16 }));
  const taken: WatchEvent[] = [];
  const finished = Promise.withResolvers<void>();
  const watch: Watch = await served.remote().watchKind(KIND, {
    coalesce: true,
    wake() {
      for (const event of watch.take()) taken.push(event);
      if (taken.at(-1)?.resource.metadata.id === "z") finished.resolve();
    },
  });
  using _ = watch;
  for (const id of ["a", "gone"]) served.state.createNow(thing(id));
  for (let count = 0; count < 1000; count++) served.state.updateNow(served.state.getNow(at("a")));
  served.state.destroyNow(at("gone"));
  served.state.createNow(thing("z"));
  await finished.promise;
  // of what came and went there is the end, for who may have met it in a list
  deepStrictEqual(taken.map(eventText), ["created a@1001", "destroyed gone@1", "created z@1"]);
});

Deno.test("an object that cannot be destroyed says so by its class (5.24)", async () => {
  await using served = await serveMemory();
  const remote = served.remote();
  await remote.create({ ...thing("a"), metadata: { ...thing("a").metadata, finalizers: ["f"] } });
  await rejects(
    remote.destroy(at("a")),
    (error: unknown) => error instanceof ConflictError && error.reason === "finalizers",
  );
  deepStrictEqual((await remote.list(KIND)).map(({ metadata }) => metadata.finalizers), [["f"]]);
});
