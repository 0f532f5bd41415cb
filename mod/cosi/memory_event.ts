import type { Resource } from "./resource.ts";
import type { EventType, WatchEvent } from "./state.ts";
import type { Match } from "./query_match.ts";

/** Makes the bookmark of a position. */
export interface BookmarkSource {
  bookmark(position: number): Uint8Array;
}

/** One event as all watchers share it; its bookmark is made when asked for. */
export class MemoryEvent implements WatchEvent {
  readonly type: EventType;
  readonly resource: Resource;
  readonly old: Resource | undefined;
  readonly error: Error | undefined;
  readonly position: number;
  /** Makes the bookmark; a plain member, because a private one costs twice as much for each event. */
  readonly source: BookmarkSource | undefined;

  constructor(
    type: EventType,
    resource: Resource,
    old: Resource | undefined,
    source: BookmarkSource | undefined,
    position: number,
    error?: Error,
  ) {
    this.type = type;
    this.resource = resource;
    this.old = old;
    this.error = error;
    this.position = position;
    this.source = source;
  }

  get bookmark(): Uint8Array | undefined {
    return this.source?.bookmark(this.position);
  }

  /** The same moment seen differently. */
  as(type: EventType, resource: Resource, old: Resource | undefined): MemoryEvent {
    return new MemoryEvent(type, resource, old, this.source, this.position);
  }
}

/** The event as a watcher with a query sees it, or undefined when it does not (clause 2.36). */
export function filterEvent(event: MemoryEvent, match: Match | undefined): MemoryEvent | undefined {
  if (match === undefined) return event;
  const { resource, old } = event;
  const now = match(resource);
  if (event.type !== "updated" || old === undefined) return now ? event : undefined;
  const before = match(old);
  if (now) return before ? event : event.as("created", resource, undefined);
  return before ? event.as("destroyed", resource, undefined) : undefined;
}

/** What changed for one object since a watcher last looked. */
interface Change {
  /** The object that the watcher knows; undefined when it knows of none. */
  readonly known: Resource | undefined;
  readonly last: MemoryEvent;
  readonly single: boolean;
  /** It was there to be seen between what is known and the last change. */
  readonly wasThere: boolean;
}

/** The latest state of each object that changed, in the order of the last changes. */
export class Coalescer {
  readonly #match: Match | undefined;
  readonly #changes = new Map<string, Change>();

  /** What does not match is not there for the watcher. */
  constructor(match: Match | undefined) {
    this.#match = match;
  }

  add(event: MemoryEvent): void {
    const { id } = event.resource.metadata;
    const change = this.#changes.get(id);
    if (change === undefined) {
      const known = event.type === "destroyed" ? event.resource : event.old;
      this.#changes.set(id, { known, last: event, single: true, wasThere: false });
    } else {
      const wasThere = change.wasThere || this.#isThere(change.last);
      this.#changes.delete(id);
      this.#changes.set(id, { known: change.known, last: event, single: false, wasThere });
    }
  }

  #isThere({ type, resource }: MemoryEvent): boolean {
    return type !== "destroyed" && (this.#match === undefined || this.#match(resource));
  }

  /**
   * One event an object, through the query. Of an object that came and went unseen there is the end: the consumer may
   * have met it elsewhere, as in a list.
   */
  drain(): MemoryEvent[] {
    const events: MemoryEvent[] = [];
    for (const change of this.#changes.values()) {
      const event = change.single ? filterEvent(change.last, this.#match) : this.#merged(change);
      if (event !== undefined) events.push(event);
    }
    this.#changes.clear();
    return events;
  }

  /** What a watcher that sees only what matches learns of several changes. */
  #merged({ known, last, wasThere }: Change): MemoryEvent | undefined {
    const before = known !== undefined && (this.#match === undefined || this.#match(known)) ? known : undefined;
    if (this.#isThere(last)) return last.as(before === undefined ? "created" : "updated", last.resource, before);
    return before !== undefined || wasThere ? last.as("destroyed", last.resource, undefined) : undefined;
  }
}
