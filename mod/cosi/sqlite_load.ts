import type { DatabaseSync } from "node:sqlite";
import type { KeptCollection } from "./kept_collection.ts";
import type { AnyDefinition } from "./definition.ts";
import type { Kind } from "./metadata.ts";
import type { RecordCipher } from "./record_cipher.ts";
import type { Resource } from "./resource.ts";
import { CHANGES, type EventRow, eventSum, type KindRow, kindSum, placeOf } from "./sqlite_rows.ts";
import { DamageError } from "./store_error.ts";
import { decodeStored } from "./stored_record.ts";
import type { Change } from "./transaction.ts";

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true }); // a name may start with one

/** How stored rows become objects. */
export interface Decoding {
  definition(type: string): AnyDefinition | undefined;
  readonly cipher: RecordCipher | undefined;
}

/** Namespace and type of a row of `kinds`. */
export function kindOf({ name }: KindRow): Kind {
  const [namespace = "", type = ""] = JSON.parse(TEXT.decode(name)) as string[];
  return { namespace, type };
}

/**
 * Everything that is stored, each row checked, and that none is missing.
 * @throws {DamageError} when something is not as it was written.
 */
export function loadKinds(db: DatabaseSync, decoding: Decoding): Map<KindRow, KeptCollection> {
  const loaders = new Map<number, KindLoader>();
  for (const row of rows<KindRow>(db, "SELECT * FROM kinds ORDER BY kind")) {
    if (kindSum(row) !== row.sum) throw new DamageError("a collection does not match its checksum");
    loaders.set(row.kind, new KindLoader(row, decoding));
  }
  for (const row of rows<EventRow>(db, "SELECT * FROM events ORDER BY kind, position")) {
    if (eventSum(row) !== row.sum) throw new DamageError(`event ${row.position} does not match its checksum`);
    const loader = loaders.get(row.kind);
    if (loader === undefined) throw new DamageError(`event ${row.position} belongs to no collection`);
    loader.add(row);
  }
  return new Map(Array.from(loaders.values(), (loader) => [loader.row, loader.finish()]));
}

function rows<T>(db: DatabaseSync, sql: string): Iterable<T> {
  return db.prepare(sql).iterate() as Iterable<unknown> as Iterable<T>;
}

/** Builds one collection from its rows, oldest first. */
class KindLoader {
  readonly row: KindRow;
  readonly #kind: Kind;
  readonly #decoding: Decoding;
  readonly #definition: AnyDefinition | undefined;
  readonly #objects = new Map<string, { readonly resource: Resource; readonly position: number }>();
  readonly #events: (Change & { readonly position: number })[] = [];
  #next: number;

  constructor(row: KindRow, decoding: Decoding) {
    this.row = row;
    this.#kind = kindOf(row);
    this.#decoding = decoding;
    this.#definition = decoding.definition(this.#kind.type);
    this.#next = row.floor;
  }

  add(row: EventRow): void {
    const { position, prev } = row;
    const type = CHANGES[row.change];
    const id = TEXT.decode(row.id);
    const before = this.#objects.get(id);
    const old = before?.position === prev ? before.resource : undefined;
    const isKept = position >= this.row.floor;
    if (type === undefined || position !== this.#next && isKept) {
      throw new DamageError(`event ${this.#next} of ${this.#kind.type} is missing`);
    }
    if (isKept && prev >= 0 && old === undefined) {
      throw new DamageError(`the version before event ${position} of ${this.#kind.type} is missing`);
    }
    const resource = this.#resourceOf(row, id, old);
    if (isKept) {
      this.#next++;
      this.#events.push({ type, resource, old: type === "updated" ? old : undefined, position });
    }
    if (type === "destroyed") this.#objects.delete(id);
    else this.#objects.set(id, { resource, position });
  }

  #resourceOf(row: EventRow, id: string, old: Resource | undefined): Resource {
    const pointer = { ...this.#kind, id };
    const { cipher } = this.#decoding;
    try {
      const record = cipher === undefined ? row.record : cipher.open(row.record, placeOf(this.#kind, id, row));
      if (old !== undefined && CHANGES[row.change] === "destroyed") return old;
      return decodeStored(record, pointer, BigInt(row.version), this.#definition);
    } catch (cause) {
      throw new DamageError(`event ${row.position} of ${this.#kind.type} cannot be decoded`, { cause });
    }
  }

  finish(): KeptCollection {
    const { written, live } = this.row;
    const { type } = this.#kind;
    if (this.#next !== written) throw new DamageError(`the last events of ${type} are missing`);
    if (this.#objects.size !== live) {
      throw new DamageError(`${type} has ${this.#objects.size} objects instead of ${live}`);
    }
    return { written, events: this.#events, objects: this.#objects.values() };
  }
}
