import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { KeptCollection } from "./kept_collection.ts";
import type { Kind, Pointer } from "./metadata.ts";
import { logDamage } from "./sqlite_log.ts";
import { type Decoding, kindOf, loadKinds } from "./sqlite_load.ts";
import { type AboutRow, aboutSum, CHANGES, eventSum, type KindRow, kindSum, placeOf } from "./sqlite_rows.ts";
import { SCHEMA, SCHEMA_VERSION } from "./sqlite_rows.ts";
import { DamageError, StoreError, storeProblem } from "./store_error.ts";
import type { Change } from "./transaction.ts";

/** A change, and the object after it in its stored form; empty when it was destroyed. */
export interface StoredChange {
  readonly change: Change;
  readonly record: Uint8Array;
}

/** Events that leave history are deleted when there are this many. */
const SWEEP = 256;
const encoder = new TextEncoder();
const KEY_TEXT = encoder.encode("key");

/** The database file. Owns it alone while it is open. Knows nothing of rules; what it is given was checked. */
export class SqliteStore implements Disposable {
  readonly path: string;
  /** 8 random bytes of this file. */
  readonly cookie: Uint8Array;
  readonly #db: DatabaseSync;
  readonly #decoding: Decoding;
  readonly #retained: number;
  readonly #kinds = new Map<string, Omit<KindRow, "sum">>();
  readonly #insert: StatementSync;
  readonly #putKind: StatementSync;
  readonly #sweepVersions: StatementSync;
  readonly #sweepEnds: StatementSync;

  /**
   * @param retained events of each collection that are kept at least.
   * @throws {StoreError} {@link DamageError}
   */
  constructor(path: string, decoding: Decoding, retained: number) {
    this.path = path;
    this.#decoding = decoding;
    this.#retained = retained;
    using undo = new DisposableStack();
    this.#db = undo.adopt(openDatabase(path), (db) => closeAsFound(db, path));
    this.cookie = this.#about();
    this.#insert = this.#db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    this.#putKind = this.#db.prepare("REPLACE INTO kinds VALUES (?, ?, ?, ?, ?, ?)");
    this.#sweepVersions = this.#db.prepare(
      "DELETE FROM events WHERE kind = ?1 AND position IN " +
        "(SELECT prev FROM events WHERE kind = ?1 AND position >= ?2 AND position < ?3 AND prev >= 0)",
    );
    this.#sweepEnds = this.#db.prepare(
      `DELETE FROM events WHERE kind = ?1 AND position >= ?2 AND position < ?3 AND change = ${
        CHANGES.indexOf("destroyed")
      }`,
    );
    undo.move();
  }

  /** Checks what the file says of itself, and answers with its cookie. */
  #about(): Uint8Array {
    const facts = new Map<string, Uint8Array>();
    for (const row of this.#db.prepare("SELECT * FROM about").all() as unknown as AboutRow[]) {
      if (aboutSum(row) !== row.sum) throw new DamageError("the description of the store does not match its checksum");
      facts.set(row.name, row.value);
    }
    const version = facts.get("version"), cookie = facts.get("cookie"), key = facts.get("key");
    if (version === undefined || cookie === undefined || key === undefined) {
      throw new DamageError("the description of the store is missing");
    }
    if (version[0] !== SCHEMA_VERSION) throw new StoreError("open", this.path, "version");
    const { cipher } = this.#decoding;
    if ((cipher === undefined) !== (key.length === 0)) throw new StoreError("open", this.path, "key");
    try {
      cipher?.open(key, "key");
    } catch (cause) {
      throw new StoreError("open", this.path, "key", { cause });
    }
    return cookie;
  }

  /** Everything that is stored. @throws {DamageError} */
  load(): Map<Kind, KeptCollection> {
    const found = new Map<Kind, KeptCollection>();
    for (const [row, kept] of loadKinds(this.#db, this.#decoding)) {
      const kind = kindOf(row);
      this.#kinds.set(keyOf(kind), row);
      found.set(kind, kept);
    }
    return found;
  }

  /**
   * Stores changes as one; when this returns they are on the disk.
   * @param positionOf of the event that made an object's current version.
   * @throws {StoreError} Then none of them is stored.
   */
  write(changes: readonly StoredChange[], positionOf: (pointer: Pointer) => number): void {
    const touched = new Map<string, Writable<KindRow>>();
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      const latest = new Map<string, number>();
      for (const stored of changes) this.#writeEvent(stored, touched, latest, positionOf);
      for (const row of touched.values()) this.#writeKind(row);
      this.#db.exec("COMMIT");
    } catch (cause) {
      this.#undo();
      throw new StoreError("write", this.path, storeProblem(cause) ?? "io", { cause });
    }
    for (const [key, row] of touched) this.#kinds.set(key, row);
  }

  #undo(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {
      // What made the write fail is told; a transaction that stays open makes the next one fail as well.
    }
  }

  #writeEvent(
    { change, record }: StoredChange,
    touched: Map<string, Writable<KindRow>>,
    latest: Map<string, number>,
    positionOf: (pointer: Pointer) => number,
  ): void {
    const { metadata } = change.resource;
    const key = keyOf(metadata), objectKey = `${key} ${metadata.id}`;
    let kind = touched.get(key);
    if (kind === undefined) touched.set(key, kind = { ...this.#kinds.get(key) ?? this.#newKind(key, touched), sum: 0 });
    const row = {
      ...{ kind: kind.kind, position: kind.written, change: CHANGES.indexOf(change.type) },
      prev: change.type === "created" ? -1 : latest.get(objectKey) ?? positionOf(metadata),
      id: encoder.encode(metadata.id),
      version: Number(metadata.version),
    };
    const { cipher } = this.#decoding;
    const sealed = cipher === undefined ? record : cipher.seal(record, placeOf(metadata, metadata.id, row));
    const sum = eventSum({ ...row, record: sealed });
    this.#insert.run(row.kind, row.position, row.prev, row.change, row.id, row.version, sealed, sum);
    latest.set(objectKey, kind.written++);
    if (change.type === "created") kind.live++;
    else if (change.type === "destroyed") kind.live--;
  }

  #newKind(key: string, touched: Map<string, unknown>): Omit<KindRow, "sum"> {
    let kind = this.#kinds.size + 1;
    for (const other of touched.keys()) if (!this.#kinds.has(other)) kind++;
    return { kind, name: encoder.encode(key), floor: 0, written: 0, live: 0 };
  }

  #writeKind(row: Writable<KindRow>): void {
    const cutoff = row.written - this.#retained;
    if (cutoff - row.floor >= SWEEP) {
      this.#sweepVersions.run(row.kind, row.floor, cutoff);
      this.#sweepEnds.run(row.kind, row.floor, cutoff);
      row.floor = cutoff;
    }
    this.#putKind.run(row.kind, row.name, row.floor, row.written, row.live, kindSum(row));
  }

  /** Lets go of a file that cannot be used, without the changes that SQLite makes at the end. */
  abandon(): void {
    closeAsFound(this.#db, this.path);
  }

  [Symbol.dispose](): void {
    close(this.#db);
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function keyOf({ namespace, type }: Kind): string {
  return JSON.stringify([namespace, type]);
}

function close(db: DatabaseSync): void {
  if (db.isOpen) db.close();
}

/**
 * Closes a database but keeps its log. SQLite would put what it understands of it into the file and delete it, so that
 * next time nothing would be wrong any more.
 */
function closeAsFound(db: DatabaseSync, path: string): void {
  const log = `${path}-wal`, kept = keptLog(path);
  const isThere = rename(log, kept);
  close(db);
  if (isThere) rename(kept, log);
}

/** Where a log is for the moment in which its database is closed. */
export function keptLog(path: string): string {
  return `${path}-wal.kept`;
}

/** Answers whether it was there. */
export function rename(from: string, to: string): boolean {
  try {
    Deno.renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The write-ahead log; only while the database is open here, because others may be writing it. */
function readLog(path: string): Uint8Array {
  try {
    return Deno.readFileSync(`${path}-wal`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Uint8Array(0);
    throw error;
  }
}

/** @throws {StoreError} {@link DamageError} */
function openDatabase(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;");
    const { quick_check } = db.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (quick_check !== "ok") throw new DamageError(quick_check);
    const damage = logDamage(readLog(path)); // it stays as it was found until the first write
    if (damage !== undefined) throw new DamageError(damage);
    return db;
  } catch (cause) {
    const error = openError(path, cause);
    if (db !== undefined && error instanceof DamageError) closeAsFound(db, path);
    else if (db !== undefined) close(db); // it may be another's, whose log is not to be touched
    throw error;
  }
}

/** What an error while opening or loading stands for: damage, unless SQLite says that it is something else. */
export function openError(path: string, cause: unknown): Error {
  if (cause instanceof StoreError || cause instanceof DamageError) return cause;
  const problem = storeProblem(cause);
  if (problem !== undefined) return new StoreError("open", path, problem, { cause });
  return new DamageError(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Makes an empty store. It appears under its name once it is whole, so an empty file is never a store. */
export function createStore(path: string, { cipher }: Decoding): void {
  const making = `${path}.new`;
  try {
    for (const part of ["", "-journal"]) remove(making + part);
    const db = new DatabaseSync(making);
    try {
      db.exec(`PRAGMA synchronous = FULL; BEGIN; ${SCHEMA}`);
      const put = db.prepare("INSERT INTO about VALUES (?, ?, ?)");
      const facts = {
        version: Uint8Array.of(SCHEMA_VERSION),
        cookie: crypto.getRandomValues(new Uint8Array(8)),
        key: cipher?.seal(KEY_TEXT, "key") ?? new Uint8Array(0),
      };
      for (const [name, value] of Object.entries(facts)) put.run(name, value, aboutSum({ name, value }));
      db.exec("COMMIT");
    } finally {
      db.close();
    }
  } catch (cause) {
    throw openError(path, cause);
  }
  Deno.renameSync(making, path);
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
