import type { Bookmarks } from "./bookmark.ts";
import type { Collection } from "./collection.ts";
import { InvalidBookmarkError } from "./errors.ts";
import { MemoryEvent } from "./memory_event.ts";
import { MemoryWatch } from "./memory_watch.ts";
import type { Pointer } from "./metadata.ts";
import { tombstoneMetadata } from "./metadata_edit.ts";
import { compileQuery } from "./query_match.ts";
import { makeResource, type Resource } from "./resource.ts";
import type { EventType, Watch, WatchEvent, WatchKindOptions, WatchOptions } from "./state.ts";

type Start = Pick<WatchKindOptions, "bootstrapContents" | "tailEvents" | "startFromBookmark">;

/** @throws {TypeError} for options that exclude each other (clause 2.35). {@link RangeError} for a negative tail. */
function checkStart({ bootstrapContents, tailEvents = 0, startFromBookmark }: Start): void {
  if (!Number.isInteger(tailEvents) || tailEvents < 0) {
    throw new RangeError(`Cannot watch: ${tailEvents} is no number of events`);
  }
  const given = [bootstrapContents, tailEvents > 0, startFromBookmark !== undefined].filter((on) => on === true);
  if (given.length > 1) {
    throw new TypeError("Cannot watch: bootstrap contents, tail events and bookmark exclude each other");
  }
}

/** The position right after a bookmark. @throws {InvalidBookmarkError} for one older than history, or of the future. */
function positionAfter({ history }: Collection, bookmarks: Bookmarks, bookmark: Uint8Array, first: number): number {
  const position = bookmarks.position(bookmark);
  const oldest = history.entry === 0 ? first : history.entry;
  if (position < oldest || position >= history.written) {
    throw new InvalidBookmarkError(`Cannot start from bookmark: event ${position} is not in history`);
  }
  return position + 1;
}

/** Watches one object (cosi.md 2-F). */
export function openWatch(
  collection: Collection,
  bookmarks: Bookmarks,
  pointer: Pointer,
  options: WatchOptions,
): Watch {
  checkStart(options);
  const { tailEvents = 0, startFromBookmark, coalesce, wake } = options;
  const { id } = pointer;
  const resync = options.resync
    ? (reason: Error) => [restart(collection, id, reason), current(collection, id)]
    : undefined;
  let first: readonly WatchEvent[] = [];
  let position = collection.history.written;
  if (startFromBookmark !== undefined) {
    position = positionAfter(collection, bookmarks, startFromBookmark, 0);
  } else if (tailEvents > 0) {
    position = tailPosition(collection, id, tailEvents);
  } else {
    first = [current(collection, id)];
  }
  return new MemoryWatch(collection, { id, coalesce, wake, first, position, resync });
}

/** The object as the first event of a watch on it (clause 2.25). */
function current(collection: Collection, id: string): MemoryEvent {
  const resource = collection.cells.get(id)?.resource;
  if (resource !== undefined) return new MemoryEvent("created", resource, undefined, undefined, -1);
  return new MemoryEvent("destroyed", tombstone(collection, id), undefined, undefined, -1);
}

/** The mark before what a reader gets that fell behind. */
function restart(collection: Collection, id: string, reason: Error): MemoryEvent {
  return new MemoryEvent("noop", tombstone(collection, id), undefined, undefined, -1, reason);
}

function tombstone(collection: Collection, id: string): Resource {
  return makeResource(tombstoneMetadata(collection.kind, id), {});
}

/** Position of the `count`th last event of one object, not before where history may be entered. */
function tailPosition({ history }: Collection, id: string, count: number): number {
  let found = history.written;
  let left = count;
  for (let at = history.written - 1; at >= history.entry && left > 0; at--) {
    if (history.at(at)?.resource.metadata.id !== id) continue;
    found = at;
    left--;
  }
  return found;
}

/** Watches a collection (cosi.md 2-G). */
export function openKindWatch(collection: Collection, bookmarks: Bookmarks, options: WatchKindOptions): Watch {
  checkStart(options);
  const { bootstrapContents, bootstrapBookmark, tailEvents = 0, startFromBookmark, coalesce, wake } = options;
  const { history } = collection;
  const match = compileQuery(options);
  const contents = () => {
    const events: WatchEvent[] = [];
    for (const resource of collection.list()) {
      if (match?.(resource) === false) continue;
      events.push(new MemoryEvent("created", resource, undefined, undefined, -1));
    }
    events.push(mark("bootstrapped"));
    return events;
  };
  const resync = options.resync ? (reason: Error) => [restart(collection, "", reason), ...contents()] : undefined;
  let first: WatchEvent[] = [];
  let position = history.written;
  const mark = (type: EventType) =>
    new MemoryEvent(type, tombstone(collection, ""), undefined, bookmarks, history.written - 1);
  if (startFromBookmark !== undefined) {
    position = positionAfter(collection, bookmarks, startFromBookmark, -1);
  } else if (tailEvents > 0) {
    position = Math.max(history.entry, history.written - tailEvents);
  } else if (bootstrapContents) {
    first = contents();
  }
  if (bootstrapBookmark) first.push(mark("noop"));
  return new MemoryWatch(collection, { match, coalesce, wake, first, position, resync });
}
