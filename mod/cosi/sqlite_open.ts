import { keptOrigin } from "./bookmark.ts";
import type { AnyDefinition } from "./definition.ts";
import type { HistoryOptions } from "./history.ts";
import { MemoryState } from "./memory_state.ts";
import { DefinitionRegistry } from "./registry.ts";
import { SqliteState } from "./sqlite_state.ts";
import type { Decoding } from "./sqlite_load.ts";
import { DamageError } from "./store_error.ts";

/** How a state on disk is opened. */
export interface SqliteStateOptions {
  /** The database file; made when it is not there. Its folder has to be. */
  readonly path: string;
  /** The types whose specs are stored as their records; specs of others have to be opaque. */
  readonly definitions?: Iterable<AnyDefinition>;
  /** 32 bytes; with them all records are encrypted. The same for the whole life of the file. */
  readonly key?: Uint8Array;
  /** Events kept of each collection, in memory and on disk. */
  readonly history?: Partial<HistoryOptions>;
  /**
   * Called when the file was damaged: it was put aside under `path`, and an empty one takes its place. Without it, a
   * damaged file is left as it is and not opened.
   */
  onDamage?(message: string, path: string): void;
}

const RETAINED = 1024;
const MAX_BATCH = 500;

/**
 * Opens a state on disk. SQLite is loaded by this call, so that others do not pay for it.
 * @throws {StoreError} when the file cannot be used as it is but is not damaged. {@link DamageError} when it is, and
 * nobody is to be told. {@link RangeError} for a key of another length.
 */
export async function openSqliteState(options: SqliteStateOptions): Promise<SqliteState> {
  const { path, definitions = [], key, history = {} } = options;
  const store = await import("./sqlite_store.ts");
  const cipher = key === undefined ? undefined : new (await import("./record_cipher.ts")).RecordCipher(key);
  const registry = new DefinitionRegistry(definitions);
  const decoding: Decoding = { cipher, definition: (type) => registry.byType(type) };
  const retained = Math.max(RETAINED, history.max ?? 0);
  const maxBatch = Math.max(1, Math.min(MAX_BATCH, (history.max ?? RETAINED) >> 1));
  const open = () => {
    store.rename(store.keptLog(path), `${path}-wal`); // from a check that was interrupted
    if (!exists(path)) {
      // SQLite would read it into the new file.
      if (exists(`${path}-wal`)) throw new DamageError("its log is there without it");
      store.createStore(path, decoding);
    }
    using undo = new DisposableStack();
    try {
      const opened = undo.adopt(new store.SqliteStore(path, decoding, retained), (opened) => opened.abandon());
      const memory = new MemoryState(history, keptOrigin(opened.cookie));
      for (const [kind, kept] of opened.load()) memory.restoreNow(kind, kept);
      undo.move();
      return new SqliteState(memory, opened, decoding.definition, maxBatch);
    } catch (cause) {
      throw store.openError(path, cause);
    }
  };
  try {
    return open();
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    const message = `Cannot open store "${path}": ${error.message}`;
    if (options.onDamage === undefined) throw new DamageError(message, { cause: error });
    const aside = setAside(path);
    options.onDamage(`${message}; it was put aside as "${aside}"`, aside);
    return open();
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Renames a damaged file and its log, with the time in the new name. */
function setAside(path: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  let aside = `${path}.damaged-${time}`;
  for (let turn = 2; exists(aside); turn++) aside = `${path}.damaged-${time}-${turn}`;
  for (const part of ["", "-wal", "-shm"]) if (exists(path + part)) Deno.renameSync(path + part, aside + part);
  return aside;
}
