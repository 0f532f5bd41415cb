import { ok, rejects } from "node:assert/strict";
import { changeMetadata, InvalidBookmarkError, type WatchEvent } from "../../mod/cosi/mod.ts";
import { at, eventText, KIND, Reader, type StateTest, thing, touch } from "./state_fixture.ts";

/** Goes on from each event's bookmark, which must give exactly the events after it and then a live one. */
async function resumes(
  events: readonly WatchEvent[],
  open: (startFromBookmark: Uint8Array) => Promise<Reader>,
  live: () => Promise<string>,
): Promise<void> {
  const texts = events.map(eventText);
  const readers: Reader[] = [];
  for (const { bookmark } of events) {
    ok(bookmark !== undefined);
    readers.push(await open(bookmark));
  }
  const last = await live();
  for (const [index, reader] of readers.entries()) {
    using _ = reader;
    await reader.expect(...texts.slice(index + 1), last);
  }
}

/** Rows about watches that start in the past (tail events and bookmarks). */
export const WATCH_STARTS: readonly StateTest[] = [
  {
    name: "TestWatchKindWithTailEvents: the last events, counted before filtering",
    clauses: ["2.33", "10.10"],
    async run(state) {
      await state.create(thing("a"));
      for (let count = 0; count < 4; count++) await touch(state, "a");
      using three = new Reader(await state.watchKind(KIND, { tailEvents: 3 }));
      using all = new Reader(await state.watchKind(KIND, { tailEvents: 1000 }));
      using none = new Reader(await state.watchKind(KIND, { tailEvents: 2, id: "^b" }));
      await state.create(thing("b"));
      const last = ["updated a@3 was @2", "updated a@4 was @3", "updated a@5 was @4"];
      await three.expect(...last, "created b@1");
      await all.expect("created a@1", "updated a@2 was @1", ...last, "created b@1");
      await none.expect("created b@1");
    },
  },
  {
    name: "TestWatchWithTailEvents: the last events of this object",
    clauses: ["2.27", "10.11"],
    async run(state) {
      for (const id of ["a", "b"]) await state.create(thing(id));
      for (let count = 0; count < 3; count++) {
        await touch(state, "a");
        await touch(state, "b");
      }
      using reader = new Reader(await state.watch(at("a"), { tailEvents: 2 }));
      await touch(state, "a");
      await reader.expect("updated a@3 was @2", "updated a@4 was @3", "updated a@5 was @4");
    },
  },
  {
    name: "TestWatchKindWithBookmarks: from each bookmark exactly what follows it",
    clauses: ["2.34", "2.31", "2.32"],
    async run(state) {
      for (const options of [{ bootstrapContents: true }, { bootstrapBookmark: true }]) {
        const kind = { ...KIND, namespace: options.bootstrapContents ? "one" : "two" };
        const make = (id: string) => {
          const { metadata, spec } = thing(id);
          return state.create({ metadata: changeMetadata({ ...metadata, ...kind }, {}), spec });
        };
        using reader = new Reader(await state.watchKind(kind, options));
        for (const id of ["a", "b", "c"]) await make(id);
        await state.destroy({ ...kind, id: "b" });
        await resumes(
          await reader.take(5),
          async (startFromBookmark) => new Reader(await state.watchKind(kind, { startFromBookmark })),
          async () => (await make("live"), "created live@1"),
        );
      }
    },
  },
  {
    name: "TestWatchWithBookmarks: the same for one object",
    clauses: ["2.28"],
    async run(state) {
      using reader = new Reader(await state.watch(at("a")));
      await reader.next();
      await state.create(thing("a"));
      await state.create(thing("b"));
      await touch(state, "a");
      await touch(state, "b");
      await touch(state, "a");
      await resumes(
        await reader.take(3),
        async (startFromBookmark) => new Reader(await state.watch(at("a"), { startFromBookmark })),
        async () => (await touch(state, "a"), "updated a@4 was @3"),
      );
    },
  },
  {
    name: "foreign and malformed bookmarks are refused when the watch is opened",
    clauses: ["2.6", "2.44", "9.4", "10.12"],
    async run(state) {
      using reader = new Reader(await state.watchKind(KIND, { bootstrapBookmark: true }));
      const { bookmark } = await reader.next();
      ok(bookmark !== undefined);
      const flipped = bookmark.slice();
      flipped[3] = (flipped[3] ?? 0) ^ 0x10;
      for (const startFromBookmark of [flipped, bookmark.subarray(1), new Uint8Array(0)]) {
        await rejects(state.watchKind(KIND, { startFromBookmark }), InvalidBookmarkError);
        await rejects(state.watch(at("a"), { startFromBookmark }), InvalidBookmarkError);
      }
      await rejects(
        state.watchKind({ ...KIND, type: "Others.conformance.dev" }, { startFromBookmark: bookmark }),
        InvalidBookmarkError,
      );
    },
  },
  {
    name: "ways to start a watch exclude each other",
    clauses: ["2.35"],
    async run(state) {
      const startFromBookmark = new Uint8Array(20);
      for (
        const options of [
          { bootstrapContents: true, tailEvents: 1 },
          { bootstrapContents: true, startFromBookmark },
          { tailEvents: 1, startFromBookmark },
        ]
      ) await rejects(state.watchKind(KIND, options), (error) => !(error instanceof InvalidBookmarkError));
      await rejects(state.watch(at("a"), { tailEvents: 1, startFromBookmark }));
    },
  },
];
