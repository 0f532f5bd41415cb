import { match, ok, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { logDamage } from "./sqlite_log.ts";

const PAGE = 4096, FRAME = 24 + PAGE;

/** The log after some commits, as a crash would leave it. */
async function logAfter(commits: (db: DatabaseSync) => void): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir();
  try {
    using db = new DatabaseSync(`${folder}/x.db`);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (text TEXT)");
    commits(db);
    return await Deno.readFile(`${folder}/x.db-wal`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function insert(db: DatabaseSync, times: number): void {
  for (let count = 0; count < times; count++) db.exec(`INSERT INTO t VALUES ('${"x".repeat(count * 50)}')`);
}

function flipped(log: Uint8Array, at: number): Uint8Array {
  const copy = log.slice();
  copy[at] = (copy[at] ?? 0) ^ 4;
  return copy;
}

Deno.test("logDamage() finds nothing in a log that is whole, or cut off anywhere", async () => {
  const log = await logAfter((db) => insert(db, 20));
  for (let length = 0; length <= log.length; length += 97) strictEqual(logDamage(log.subarray(0, length)), undefined);
  strictEqual(logDamage(log), undefined);
});

Deno.test("logDamage() finds nothing in a log that was started over", async () => {
  const log = await logAfter((db) => {
    insert(db, 30);
    db.exec("PRAGMA wal_checkpoint(RESTART)");
    insert(db, 5);
  });
  ok(log.length > 20 * FRAME, "the old commits are still behind the new ones");
  strictEqual(logDamage(log), undefined);
});

Deno.test("logDamage() finds a change before the last commits, wherever it is", async () => {
  const log = await logAfter((db) => insert(db, 20));
  for (let at = 0; at < log.length - 6 * FRAME; at += 509) {
    match(
      logDamage(flipped(log, at)) ?? `nothing at ${at}`,
      /head of its log is damaged|commits behind a damaged place/,
    );
  }
  const last = log.length - 100; // as if a crash had cut it off
  strictEqual(logDamage(flipped(log, last)), undefined);
});
