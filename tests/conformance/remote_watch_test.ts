/** Watches over the wire whose server goes and comes back. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { ApiError, RemoteState, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { InvalidBookmarkError, MemoryState, teardownSignal, type WatchEvent } from "../../mod/cosi/mod.ts";
import { knowsThings, type ServedState, serveMemory } from "./served_state.ts";
import { at, eventText, KIND, Reader, thing, touch } from "./state_fixture.ts";

const QUICK = { firstMs: 5, maxMs: 20 };

/** The server goes, something happens, the server is back. */
async function whileAway(served: ServedState, work: () => void): Promise<void> {
  await served.stop();
  work();
  await served.comeBack();
}

function update({ state }: ServedState, id: string): void {
  state.updateNow(state.getNow(at(id)), { expectedPhase: "any" });
}

for (const options of [{ bootstrapContents: true }, { bootstrapBookmark: true }, {}, { tailEvents: 5 }]) {
  Deno.test(`a kind watch with ${JSON.stringify(options)} goes on over restarts (5.27, 10.41)`, async () => {
    await using served = await serveMemory();
    using reader = new Reader(await served.remote({ retry: QUICK }).watchKind(KIND, options));
    if (options.bootstrapContents) await reader.expect("bootstrapped @undefined");
    if (options.bootstrapBookmark) await reader.expect("noop @undefined");
    // a watch without either gets its hidden bookmark with the message behind the one that it waits for
    await served.remote().list(KIND);
    await whileAway(served, () => void served.state.createNow(thing("a")));
    await reader.expect("created a@1");
    await whileAway(served, () => update(served, "a"));
    await whileAway(served, () => served.state.destroyNow(at("a")));
    await reader.expect("updated a@2 was @1", "destroyed a@2");
  });
}

Deno.test("a query is kept over a restart", async () => {
  await using served = await serveMemory();
  const labels = [[{ key: "app", op: "equal", values: ["x"], invert: false }]] as const;
  using reader = new Reader(await served.remote({ retry: QUICK }).watchKind(KIND, { labels, bootstrapContents: true }));
  await reader.expect("bootstrapped @undefined");
  await whileAway(served, () => {
    served.state.createNow(thing("a", 0, { app: "y" }));
    served.state.createNow(thing("b", 0, { app: "x" }));
  });
  await reader.expect("created b@1");
});

Deno.test("a watch of one object goes on before it has a bookmark (5.29, 9.3)", async () => {
  await using served = await serveMemory();
  using reader = new Reader(await served.remote({ retry: QUICK }).watch(at("a")));
  await reader.expect("destroyed a@undefined ~");
  await whileAway(served, () => served.state.createNow(thing("b")));
  await whileAway(served, () => served.state.createNow(thing("a")));
  await reader.expect("created a@1 ~");
  await whileAway(served, () => {
    update(served, "a");
    update(served, "a");
  });
  await reader.expect("updated a@3 was @1 ~");
  await whileAway(served, () => served.state.destroyNow(at("a")));
  await reader.expect("destroyed a@3 ~");
  served.state.createNow(thing("a"));
  await reader.expect("created a@1");
  await whileAway(served, () => update(served, "a"));
  await reader.expect("updated a@2 was @1");
});

/** The same address, but another state, which knows nothing of the bookmarks of the first. */
async function forget(served: ServedState, state: MemoryState): Promise<void> {
  await served.stop();
  await served.comeBack(stateHandlers(() => state, new ResourceCodec(knowsThings)));
}

Deno.test("a server that forgot its history ends a watch, or starts it over when it may (5.27, 9.1)", async () => {
  await using served = await serveMemory();
  const remote = served.remote({ retry: QUICK });
  using plain = new Reader(await remote.watchKind(KIND, { bootstrapContents: true }));
  using anew = new Reader(await remote.watchKind(KIND, { bootstrapContents: true, resync: true }));
  using one = new Reader(await remote.watch(at("a"), { resync: true }));
  for (const reader of [plain, anew]) await reader.expect("bootstrapped @undefined");
  await one.next();
  served.state.createNow(thing("a"));
  for (const reader of [plain, anew, one]) await reader.expect("created a@1");
  const other = new MemoryState();
  other.createNow(thing("b"));
  await forget(served, other);
  ok((await plain.next()).error instanceof InvalidBookmarkError);
  await rejects(plain.next(), /ended/);
  const [first] = await anew.expect("noop @undefined ~", "created b@1 ~", "bootstrapped @undefined");
  ok(first?.error instanceof InvalidBookmarkError);
  await one.expect("noop @undefined ~", "destroyed a@undefined ~");
  other.createNow(thing("c"));
  await anew.expect("created c@1");
});

Deno.test("without retries a lost stream is the last event, with the reason (5.30)", async () => {
  await using served = await serveMemory();
  using reader = new Reader(await served.remote({ retry: false }).watchKind(KIND, { bootstrapContents: true }));
  await reader.expect("bootstrapped @undefined");
  await served.stop();
  const { type, error, resource } = await reader.next();
  deepStrictEqual([type, resource.metadata.type, resource.metadata.namespace], ["errored", KIND.type, KIND.namespace]);
  ok(error instanceof ApiError);
  await rejects(reader.next(), /ended/);
  await served.comeBack();
});

Deno.test("a signal of the end of an object is aborted by a lost stream, which is its reason (2.23)", async () => {
  await using served = await serveMemory();
  served.state.createNow(thing("a"));
  const signal = await teardownSignal(served.remote({ retry: false }), at("a"));
  ok(!signal.aborted);
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await served.stop();
  await aborted;
  ok(signal.reason instanceof ApiError);
  await served.comeBack();
});

Deno.test("the time that a watch may fail counts from its first failure (5.28, 9.3)", async () => {
  await using served = await serveMemory();
  using reader = new Reader(
    await served.remote({ retry: { ...QUICK, limitMs: 40 } }).watchKind(KIND, {
      bootstrapContents: true,
    }),
  );
  await reader.expect("bootstrapped @undefined");
  await whileAway(served, () => void served.state.createNow(thing("a")));
  await reader.expect("created a@1");
  const since = performance.now();
  await served.stop();
  strictEqual((await reader.next()).type, "errored");
  ok(performance.now() - since >= 40);
  await served.comeBack();
});

Deno.test("a watch that is disposed of says nothing more, whatever its server does (10.39)", async () => {
  await using served = await serveMemory();
  const events: WatchEvent[] = [];
  const watch = await served.remote({ retry: QUICK }).watchKind(KIND, { bootstrapContents: true });
  const reading = (async () => {
    for await (const batch of watch) events.push(...batch);
  })();
  await touch(served.state, (await served.remote().create(thing("a"))).metadata.id);
  watch[Symbol.dispose]();
  await whileAway(served, () => update(served, "a"));
  await reading;
  deepStrictEqual(watch.take(), []);
  ok(events.every(({ type }) => type !== "errored"), events.map(eventText).join());
});

Deno.test("a watch that cannot be opened says why", async () => {
  await using served = await serveMemory();
  const remote = served.remote();
  await rejects(remote.watchKind(KIND, { id: "(" }), (error: unknown) => codeIs(error, "INVALID_ARGUMENT"));
  await rejects(remote.watchKind(KIND, { startFromBookmark: new Uint8Array(3) }), InvalidBookmarkError);
  await served.stop();
  await rejects(new RemoteState(served.client).watch(at("a")), (error: unknown) => codeIs(error, "UNAVAILABLE"));
  await served.comeBack();
});

function codeIs(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

Deno.test("a consumer whose wake function throws gets that as the end of its watch", async () => {
  await using served = await serveMemory();
  using watch = await served.remote().watchKind(KIND, {
    wake() {
      throw new TypeError("of no use");
    },
  });
  served.state.createNow(thing("a"));
  const seen: WatchEvent[] = [];
  while (seen.at(-1)?.type !== "errored") {
    const { value } = await watch[Symbol.asyncIterator]().next();
    if (value === undefined) break;
    seen.push(...value);
  }
  deepStrictEqual(seen.map(({ type }) => type), ["created", "errored"]);
  ok(seen.at(-1)?.error instanceof TypeError);
});
