import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  changeMetadata,
  type LabelQuery,
  removeFinalizer,
  type State,
  watchFor,
  withMetadata,
} from "../../mod/cosi/mod.ts";
import { at, eventText, KIND, Reader, refused, type StateTest, thing, touch } from "./state_fixture.ts";

const hasLabel = (key: string, value: string): LabelQuery => [{ key, op: "equal", values: [value], invert: false }];

async function label(state: State, id: string, labels: Readonly<Record<string, string>>): Promise<void> {
  const current = await state.get(at(id));
  const metadata = changeMetadata(current.metadata, { labels: new Map(Object.entries(labels)) });
  await state.update(withMetadata(current, metadata));
}

/** Rows about watches (cosi.md 2-F, 2-G, 6.1, 10-A). */
export const WATCHES: readonly StateTest[] = [
  {
    name: "TestWatch, trace A: the life of one object",
    clauses: ["2.24", "2.25", "2.26", "2.39", "1.23"],
    async run(state) {
      using reader = new Reader(await state.watch(at("a")));
      await reader.expect("destroyed a@undefined ~");
      await state.create(thing("a"));
      await addFinalizer(state, at("a"), "f");
      await addFinalizer(state, at("a"), "f");
      strictEqual(await state.teardown(at("a")), false);
      await refused(state.destroy(at("a")), "finalizers");
      await removeFinalizer(state, at("a"), "f");
      await state.destroy(at("a"));
      await state.create(thing("a"));
      const events = await reader.expect(
        "created a@1",
        "updated a@2 was @1",
        "updated a@3 was @2",
        "updated a@4 was @3",
        "destroyed a@4",
        "created a@1",
      );
      deepStrictEqual(events[1]?.old?.metadata.finalizers, []);
      strictEqual(events[2]?.old?.metadata.phase, "running");
      strictEqual(events[2]?.resource.metadata.phase, "tearingDown");
    },
  },
  {
    name: "a single watch starts with what is there and hears of nothing else",
    clauses: ["2.25"],
    async run(state) {
      await state.create(thing("a"));
      using reader = new Reader(await state.watch(at("a")));
      await state.create(thing("b"));
      await touch(state, "a");
      await reader.expect("created a@1 ~", "updated a@2 was @1");
    },
  },
  {
    name: "TestWatchFor: event types, phases, finalizers, conditions",
    clauses: ["2.22"],
    async run(state) {
      const destroyed = await watchFor(state, at("a"), { types: ["destroyed"] });
      strictEqual(destroyed.metadata.id, "a");
      const created = watchFor(state, at("a"), { types: ["created"] });
      const unheld = watchFor(state, at("a"), { finalizersEmpty: true }); // which what is not there never is
      await state.create(thing("a"));
      strictEqual((await created).metadata.version, 1n);
      strictEqual((await unheld).metadata.version, 1n);
      await addFinalizer(state, at("a"), "f");
      const torn = watchFor(state, at("a"), { phases: ["tearingDown"] });
      const free = watchFor(state, at("a"), { finalizersEmpty: true, phases: ["tearingDown"] });
      await state.teardown(at("a"));
      strictEqual((await torn).metadata.phase, "tearingDown");
      await removeFinalizer(state, at("a"), "f");
      strictEqual((await free).metadata.finalizers.length, 0);
      const gone = watchFor(state, at("a"), { types: ["destroyed"] });
      await state.destroy(at("a"));
      strictEqual((await gone).metadata.version, 4n);
      const problem = new Error("condition");
      await rejects(
        watchFor(state, at("a"), {
          condition: () => {
            throw problem;
          },
        }),
        problem,
      );
      await rejects(watchFor(state, at("a"), { types: ["created"] }, AbortSignal.abort(problem)), problem);
    },
  },
  {
    name: "TestWatchKind, trace B: bootstrap contents, then changes in order",
    clauses: ["2.30", "2.31", "2.37", "2.38", "9.34"],
    async run(state) {
      using live = new Reader(await state.watchKind(KIND));
      await state.create(thing("b"));
      await touch(state, "b");
      await touch(state, "b");
      await state.create(thing("a"));
      using full = new Reader(await state.watchKind(KIND, { bootstrapContents: true, bootstrapBookmark: true }));
      await touch(state, "a");
      await state.destroy(at("b"));
      await live.expect(
        "created b@1",
        "updated b@2 was @1",
        "updated b@3 was @2",
        "created a@1",
        "updated a@2 was @1",
        "destroyed b@3",
      );
      const events = await full.expect(
        "created a@1 ~",
        "created b@3 ~",
        "bootstrapped @undefined",
        "noop @undefined",
        "updated a@2 was @1",
        "destroyed b@3",
      );
      const { namespace, type } = events[2]?.resource.metadata ?? {};
      deepStrictEqual({ namespace, type }, KIND);
      const bookmark = events[2]?.bookmark;
      ok(bookmark !== undefined);
      using again = new Reader(await state.watchKind(KIND, { startFromBookmark: bookmark }));
      await again.expect("updated a@2 was @1", "destroyed b@3");
    },
  },
  {
    name: "an empty kind is bootstrapped too, and its bookmark gives everything after it",
    clauses: ["2.31", "2.32", "2.34"],
    async run(state) {
      for (const options of [{ bootstrapContents: true }, { bootstrapBookmark: true }]) {
        using reader = new Reader(await state.watchKind({ ...KIND, namespace: "empty" }, options));
        const { bookmark, type } = await reader.next();
        strictEqual(type, options.bootstrapContents ? "bootstrapped" : "noop");
        ok(bookmark !== undefined);
        const again = await state.watchKind({ ...KIND, namespace: "empty" }, { startFromBookmark: bookmark });
        again[Symbol.dispose]();
      }
    },
  },
  {
    name: "TestWatchKindWithLabels, trace C: objects enter and leave a query",
    clauses: ["2.36"],
    async run(state) {
      using reader = new Reader(await state.watchKind(KIND, { labels: [hasLabel("app", "x")] }));
      using both = new Reader(
        await state.watchKind(KIND, { labels: [hasLabel("app", "x"), hasLabel("app", "y")], bootstrapContents: true }),
      );
      await state.create(thing("a", 0, { app: "y" }));
      await label(state, "a", { app: "x" });
      await label(state, "a", { app: "x", other: "1" });
      await label(state, "a", { app: "z" });
      await state.destroy(at("a"));
      await state.create(thing("end", 0, { app: "x" }));
      const [, , left] = await reader.expect(
        "created a@2",
        "updated a@3 was @2",
        "destroyed a@4",
        "created end@1",
      );
      strictEqual(left?.resource.metadata.labels.get("app"), "z");
      await both.expect(
        "bootstrapped @undefined",
        "created a@1",
        "updated a@2 was @1",
        "updated a@3 was @2",
        "destroyed a@4",
        "created end@1",
      );
    },
  },
  {
    name: "nothing is lost or doubled between snapshot and live part",
    clauses: ["10.15", "9.34"],
    async run(state) {
      const writes: Promise<unknown>[] = [];
      for (let id = 0; id < 50; id++) writes.push(state.create(thing(`a${id}`)));
      const opening = state.watchKind(KIND, { bootstrapContents: true });
      for (let id = 0; id < 50; id++) writes.push(state.create(thing(`b${id}`)));
      using reader = new Reader(await opening);
      await Promise.all(writes);
      const events = (await reader.take(101)).filter(({ type }) => type === "created");
      strictEqual(new Set(events.map(({ resource }) => resource.metadata.id)).size, 100);
    },
  },
  {
    name: "a disposed watch ends without an error",
    clauses: ["2.29", "10.39"],
    async run(state) {
      const watch = await state.watchKind(KIND);
      const seen: string[] = [];
      const reading = (async () => {
        for await (const events of watch) seen.push(...events.map(eventText));
      })();
      watch[Symbol.dispose]();
      watch[Symbol.dispose]();
      await reading;
      deepStrictEqual(seen, []);
      deepStrictEqual(watch.take(), []);
    },
  },
  {
    name: "a coalescing watch gives the latest state",
    clauses: ["9.2"],
    async run(state) {
      await state.create(thing("a"));
      using reader = new Reader(await state.watchKind(KIND, { coalesce: true, bootstrapContents: true }));
      for (let count = 0; count < 2000; count++) await touch(state, "a");
      while (true) {
        const { type, resource } = await reader.next();
        ok(type !== "errored");
        if (resource.metadata.version === 2001n) break;
      }
    },
  },
];
