import { crc32 } from "node:zlib";
import type { Kind } from "./metadata.ts";

/** Layout of the tables below. */
export const SCHEMA_VERSION = 1;

/**
 * One row an event. The row of the event that made an object's current version is the object; a version that was
 * replaced goes once the event that replaced it has left history. Every row has a checksum of all its columns.
 */
export const SCHEMA = `
CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY, name BLOB NOT NULL,
  floor INTEGER NOT NULL, written INTEGER NOT NULL, live INTEGER NOT NULL, sum INTEGER NOT NULL
) STRICT;
CREATE TABLE events (
  kind INTEGER NOT NULL, position INTEGER NOT NULL, prev INTEGER NOT NULL, change INTEGER NOT NULL,
  id BLOB NOT NULL, version INTEGER NOT NULL, record BLOB NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY (kind, position)
) STRICT, WITHOUT ROWID;
`;

/** What `change` says. */
export const CHANGES = ["created", "updated", "destroyed"] as const;

/** One fact about the store itself. */
export interface AboutRow {
  readonly name: string;
  readonly value: Uint8Array;
  readonly sum: number;
}

/** One collection. */
export interface KindRow {
  readonly kind: number;
  /** Namespace and type as a JSON array in UTF-8, because they may hold any character. */
  readonly name: Uint8Array;
  /** From this position on no event is missing. */
  readonly floor: number;
  /** Events ever written. */
  readonly written: number;
  /** Objects there are. */
  readonly live: number;
  readonly sum: number;
}

/** One event. */
export interface EventRow {
  readonly kind: number;
  readonly position: number;
  /** Position of the version before; -1 when there was none. */
  readonly prev: number;
  readonly change: number;
  readonly id: Uint8Array;
  readonly version: number;
  /** Empty for a destroyed object, which is the version before. */
  readonly record: Uint8Array;
  readonly sum: number;
}

export function aboutSum({ name, value }: Omit<AboutRow, "sum">): number {
  return crc32(value, crc32(name));
}

export function kindSum({ kind, name, floor, written, live }: Omit<KindRow, "sum">): number {
  return crc32(name, crc32(`${kind} ${floor} ${written} ${live}`));
}

export function eventSum({ kind, position, prev, change, id, version, record }: Omit<EventRow, "sum">): number {
  return crc32(record, crc32(id, crc32(`${kind} ${position} ${prev} ${change} ${version} ${id.length}`)));
}

/** What an encrypted record is bound to. */
export function placeOf({ namespace, type }: Kind, id: string, row: Omit<EventRow, "sum" | "record">): string {
  return JSON.stringify([namespace, type, id, row.version, row.position, row.prev, row.change]);
}
