import type { Resource, WatchEvent } from "../cosi/mod.ts";

interface Change {
  /** The object that the consumer knows; undefined when it knows of none. */
  readonly known: Resource | undefined;
  readonly last: WatchEvent;
  readonly isSingle: boolean;
}

/** Events that nobody has taken yet, folded to the latest state of each object, in the order of the last changes. */
export class LatestEvents {
  readonly #changes = new Map<string, Change>();

  add(event: WatchEvent): void {
    const { id } = event.resource.metadata;
    const change = this.#changes.get(id);
    this.#changes.delete(id); // it moves to the end
    const known = change === undefined ? event.type === "destroyed" ? event.resource : event.old : change.known;
    this.#changes.set(id, { known, last: event, isSingle: change === undefined });
  }

  /** One event an object; of one that came and went unseen it is the end. */
  drain(): WatchEvent[] {
    const events: WatchEvent[] = [];
    for (const { known, last, isSingle } of this.#changes.values()) {
      if (isSingle || last.type === "destroyed") events.push(last);
      else events.push({ ...last, type: known === undefined ? "created" : "updated", old: known });
    }
    this.#changes.clear();
    return events;
  }
}
