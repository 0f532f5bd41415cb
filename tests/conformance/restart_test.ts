/** What a state on disk keeps over a restart, and what it does about files that it cannot use. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  addFinalizer,
  changeMetadata,
  DamageError,
  InvalidBookmarkError,
  OpaqueSpec,
  openSqliteState,
  type Resource,
  type State,
  StoreError,
  withMetadata,
} from "../../mod/cosi/mod.ts";
import { StoreFolder } from "./sqlite_store.ts";
import { at, eventText, idsOf, KIND, Reader, thing, touch } from "./state_fixture.ts";

const KEY = new Uint8Array(32).fill(7);

async function all(state: State): Promise<unknown[]> {
  const list = await state.list(KIND);
  return list.map(({ metadata, spec }) => [{ ...metadata, labels: [...metadata.labels] }, spec]);
}

for (const options of [{}, { key: KEY }]) {
  const name = "key" in options ? "an encrypted store" : "a store";
  Deno.test(`${name} has the same objects, history and next versions after a restart (2.50, 9.24)`, async () => {
    await using folder = new StoreFolder();
    const opaque = { ...at("o"), type: "Unknowns.test.dev" };
    let before: unknown[];
    {
      await using state = await folder.open(options);
      for (const id of ["b", "a", "gone"]) await state.create(thing(id, 3, { app: "x", ["__proto__"]: "y" }));
      await touch(state, "a");
      await addFinalizer(state, at("a"), "f");
      await state.teardown(at("b"));
      await state.destroy(at("gone"));
      const spec = new OpaqueSpec(Uint8Array.of(1, 2), "k: 1\n");
      await state.create({ metadata: changeMetadata({ ...thing("o").metadata, ...opaque }, {}), spec });
      before = await all(state);
    }
    await using state = await folder.open(options);
    deepStrictEqual(await all(state), before);
    deepStrictEqual((await state.get(opaque)).spec, new OpaqueSpec(Uint8Array.of(1, 2), "k: 1\n"));
    const versions = await state.history(at("a"), 9);
    deepStrictEqual(versions.map(({ resource }) => resource.metadata.version), [3n, 2n, 1n]);
    strictEqual((await touch(state, "a")).metadata.version, 4n);
    strictEqual((await state.create(thing("gone"))).metadata.version, 1n);
  });
}

Deno.test("bookmarks go on after a restart, and tail events too (9.4, 2.34, 2.28)", async () => {
  await using folder = new StoreFolder();
  const bookmarks: (Uint8Array | undefined)[] = [];
  const texts: string[] = [];
  {
    await using state = await folder.open();
    using reader = new Reader(await state.watchKind(KIND, { bootstrapContents: true }));
    for (const id of ["a", "b"]) await state.create(thing(id));
    await touch(state, "a");
    await state.destroy(at("b"));
    for (const event of await reader.take(5)) {
      texts.push(eventText(event));
      bookmarks.push(event.bookmark);
    }
  }
  await using state = await folder.open();
  const readers: Reader[] = [];
  for (const startFromBookmark of bookmarks) {
    ok(startFromBookmark !== undefined);
    readers.push(new Reader(await state.watchKind(KIND, { startFromBookmark })));
    await rejects(state.watchKind({ ...KIND, namespace: "else" }, { startFromBookmark }), InvalidBookmarkError);
  }
  using tail = new Reader(await state.watch(at("a"), { tailEvents: 2 }));
  await touch(state, "a");
  for (const [index, reader] of readers.entries()) {
    using _ = reader;
    await reader.expect(...texts.slice(index + 1), "updated a@3 was @2");
  }
  await tail.expect("created a@1", "updated a@2 was @1", "updated a@3 was @2");
});

Deno.test("a store keeps at least 1,000 events of a kind and sweeps older ones", async () => {
  await using folder = new StoreFolder();
  let oldest: Uint8Array | undefined;
  {
    await using state = await folder.open();
    await state.create(thing("quiet"));
    for (let turn = 0; turn < 30; turn++) {
      const writes = Array.from({ length: 100 }, (_, index) => {
        const id = `${index}`;
        if (turn % 3 === 0) return state.create(thing(id));
        if (turn % 3 === 2) return state.destroy(at(id));
        return state.transact((tx) => tx.update(tx.get(at(id))));
      });
      await Promise.all(writes);
      if (turn !== 19) continue;
      using watch = await state.watchKind(KIND, { bootstrapBookmark: true });
      oldest = watch.take()[0]?.bookmark;
    }
  }
  const db = new DatabaseSync(folder.path, { readOnly: true });
  const { count } = db.prepare("SELECT count(*) AS count FROM events").get() as { count: number };
  db.close();
  ok(count > 1000 && count < 1500, `${count} events are kept`);
  await using state = await folder.open();
  deepStrictEqual(await idsOf(state.list(KIND)), ["quiet"]);
  ok(oldest !== undefined);
  using watch = await state.watchKind(KIND, { startFromBookmark: oldest });
  const events = watch.take();
  strictEqual(events.length, 1000);
  for (const { type, old } of events) strictEqual(old !== undefined, type === "updated");
});

Deno.test("a store is used by one process at a time, and not after its end", async () => {
  await using folder = new StoreFolder();
  const state = await folder.open();
  const failed = (problem: string) => (error: unknown) => error instanceof StoreError && error.problem === problem;
  await rejects(folder.open(), failed("locked"));
  const last = state.create(thing("a"));
  await state[Symbol.asyncDispose]();
  strictEqual((await last).metadata.version, 1n);
  await rejects(state.create(thing("b")), failed("closed"));
  await rejects(folder.open({ key: KEY }), failed("key"));
  await rejects(folder.open({ path: `${folder.path}.d/state.db` }), failed("io"));
  strictEqual(folder.damages.length, 0);
});

Deno.test("an encrypted store opens with its key only, and shows nothing on disk", async () => {
  await using folder = new StoreFolder();
  {
    await using state = await folder.open({ key: KEY });
    await state.create(thing("a", 1, { secret: "very-secret-word" }));
  }
  ok(!new TextDecoder("latin1").decode(await Deno.readFile(folder.path)).includes("very-secret-word"));
  const failed = (error: unknown) => error instanceof StoreError && error.problem === "key";
  await rejects(folder.open({ key: new Uint8Array(32) }), failed);
  await rejects(folder.open(), failed);
  await rejects(folder.open({ key: new Uint8Array(16) }), RangeError);
});

/** Changes the file by hand. */
async function tamper(folder: StoreFolder, sql: string): Promise<void> {
  await Promise.resolve();
  const db = new DatabaseSync(folder.path);
  db.exec(sql);
  db.close();
}

const DAMAGES = [
  ["a record that was changed", "UPDATE events SET record = x'0a00' WHERE position = 1"],
  ["an event that is missing", "DELETE FROM events WHERE position = 1"],
  ["a collection that is missing", "DELETE FROM kinds"],
  ["an older collection", "UPDATE kinds SET written = 1"],
  ["a description that was changed", "UPDATE about SET value = x'02' WHERE name = 'version'"],
  ["a missing table", "DROP TABLE events"],
] as const;

for (const [what, sql] of DAMAGES) {
  Deno.test(`a store with ${what} is put aside`, async () => {
    await using folder = new StoreFolder();
    {
      await using state = await folder.open();
      for (const id of ["a", "b", "c"]) await state.create(thing(id));
    }
    await tamper(folder, sql);
    await using state = await folder.open();
    deepStrictEqual(await state.list(KIND), []);
    match(folder.damages.join(), /put aside as ".*state\.db\.damaged-\d{8}T\d{6}Z"$/);
    strictEqual(folder.names().filter((name) => name.endsWith("Z")).length, 1);
    await state.create(thing("new"));
  });
}

Deno.test("a log without its file is put aside, and not read into a new file", async () => {
  await using folder = new StoreFolder();
  const state = await folder.open();
  await state.create(thing("a"));
  const log = await Deno.readFile(`${folder.path}-wal`);
  await state[Symbol.asyncDispose]();
  await Deno.remove(folder.path);
  await Deno.writeFile(`${folder.path}-wal`, log);
  await using next = await folder.open();
  match(folder.damages.join(), /its log is there without it/);
  deepStrictEqual(await next.list(KIND), []);
});

Deno.test("a damaged log stays as it is until it is put aside, and then too", async () => {
  await using folder = new StoreFolder();
  await using crashed = new StoreFolder();
  {
    await using state = await folder.open();
    for (let count = 0; count < 20; count++) await state.create(thing(`${count}`));
    for (const part of ["", "-wal"]) await Deno.copyFile(folder.path + part, crashed.path + part);
  }
  const log = await Deno.readFile(`${crashed.path}-wal`);
  log[9000] = (log[9000] ?? 0) ^ 1;
  await Deno.writeFile(`${crashed.path}-wal`, log);
  for (let turn = 0; turn < 2; turn++) await rejects(openSqliteState({ path: crashed.path }), DamageError);
  await using _ = await crashed.open();
  const aside = crashed.names().find((name) => name.endsWith("Z-wal"));
  ok(aside !== undefined);
  deepStrictEqual(await Deno.readFile(crashed.path.replace("state.db", aside)), log);
});

Deno.test("a damaged store is left alone when nobody is to be told", async () => {
  await using folder = new StoreFolder();
  await (await folder.open())[Symbol.asyncDispose]();
  await Deno.writeTextFile(folder.path, "not a database");
  await rejects(openSqliteState({ path: folder.path }), DamageError);
  deepStrictEqual(folder.names(), ["state.db"]);
});

Deno.test("readers keep up with as many writers as there are", async () => {
  await using folder = new StoreFolder();
  await using state = await folder.open();
  using reader = new Reader(await state.watchKind(KIND));
  const writes = Promise.all(Array.from({ length: 3000 }, (_, index) => state.create(thing(`${index}`))));
  const events = await reader.take(3000);
  deepStrictEqual(
    events.map(({ resource }) => Number(resource.metadata.id)),
    Array.from({ length: 3000 }, (_, at) => at),
  );
  await writes;
});

Deno.test("an encrypted record that stands in the place of another is damage (9.13)", async () => {
  await using folder = new StoreFolder();
  {
    await using state = await folder.open({ key: KEY });
    for (const id of ["a", "b"]) await state.create(thing(id));
  }
  const { crc32 } = await import("node:zlib");
  const db = new DatabaseSync(folder.path);
  const { record, id } = db.prepare("SELECT record, id FROM events WHERE position = 0").get() as {
    record: Uint8Array;
    id: Uint8Array;
  };
  const sum = crc32(record, crc32(id, crc32("1 1 -1 0 1 1"))); // a checksum can be forged, the tag cannot
  db.prepare("UPDATE events SET record = ?, id = ?, sum = ? WHERE position = 1").run(record, id, sum);
  db.close();
  await using state = await folder.open({ key: KEY });
  match(folder.damages.join(), /cannot be decoded/);
  deepStrictEqual(await state.list(KIND), []);
});

Deno.test("a refused write is refused alone, and a transaction as a whole", async () => {
  await using folder = new StoreFolder();
  await using state = await folder.open();
  const unknown: Resource = withMetadata(
    { ...thing("x"), spec: {} },
    changeMetadata({ ...thing("x").metadata, type: "Unknowns.test.dev" }, {}),
  );
  const results = await Promise.allSettled([
    state.create(thing("a")),
    state.create(thing("a")),
    state.create(unknown),
    state.transact((tx) => (tx.create(thing("b")), tx.create(thing("a")))),
    state.update(await state.create(thing("c"))),
  ]);
  deepStrictEqual(results.map(({ status }) => status[0]).join(""), "frrrf");
  deepStrictEqual(await idsOf(state.list(KIND)), ["a", "c"]);
});
