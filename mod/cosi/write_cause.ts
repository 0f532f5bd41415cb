import type { Kind, Metadata, Pointer } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { WatchEvent } from "./state.ts";

/** What made a controller run. `resync`: a watch broke, and what happened meanwhile is not known one by one. */
export type WakeReason = "start" | "change" | "retry" | "timer" | "outside" | "request" | "resync";

/** Why a controller ran; all writes of that run share it. */
export interface WriteCause {
  readonly controller: string;
  /** Start of the run, milliseconds since the epoch. */
  readonly at: number;
  readonly reason: WakeReason;
  /** The changed objects that woke it, in their versions then; the first few. Without a change, what the run read. */
  readonly objects: readonly Metadata[];
  /** How many more there were. */
  readonly more: number;
}

const MAX_OBJECTS = 8;
const NOTHING: readonly Metadata[] = Object.freeze([]);
/** Runs that look at what there is, not at what has changed. */
const LOOKING: ReadonlySet<WakeReason> = new Set(["start", "retry", "resync"]);

/** What woke a controller since its last run. */
export class PendingCause {
  #reason: WakeReason = "start";
  #objects: Metadata[] = [];
  #more = 0;
  #isSet = false;
  /** Objects of the cause that was taken last, while its run looks at what there is. */
  #read: Metadata[] | undefined;

  /** Notes a wake-up without objects; a change that comes with it tells more. */
  note(reason: WakeReason): void {
    if (this.#isSet) return;
    this.#reason = reason;
    this.#isSet = true;
  }

  add(events: readonly WatchEvent[]): void {
    this.#reason = "change";
    this.#isSet = true;
    for (let at = 0; at < events.length; at++) {
      if (this.#objects.length === MAX_OBJECTS) {
        this.#more += events.length - at;
        return;
      }
      const event = events[at];
      if (event !== undefined) this.#objects.push(event.resource.metadata);
    }
  }

  /** The cause of the run that starts now; from here on the next one is gathered. */
  take(controller: string): WriteCause {
    this.#read = LOOKING.has(this.#reason) ? [] : undefined;
    const objects = this.#read ?? (this.#objects.length === 0 ? NOTHING : this.#objects);
    const cause = { controller, at: Date.now(), reason: this.#reason, objects, more: this.#more };
    if (this.#objects.length > 0) this.#objects = [];
    this.#more = 0;
    this.#isSet = false;
    return cause;
  }

  /** Notes what the run reads that others wrote. */
  read(resources: readonly Resource[], reader: string): void {
    const read = this.#read;
    if (read === undefined) return;
    for (const { metadata } of resources) {
      if (read.length === MAX_OBJECTS) return;
      if (metadata.owner !== reader && !read.includes(metadata)) read.push(metadata);
    }
  }
}

/** Causes of one kind that are remembered at least; twice as many at most. */
const MAX_IN_GENERATION = 5000;

/** The causes of one kind. What was not written for long goes with its whole generation, which costs nothing. */
class KindCauses {
  #young = new Map<string, WriteCause>();
  #old = new Map<string, WriteCause>();

  set(id: string, cause: WriteCause): void {
    if (this.#young.size >= MAX_IN_GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, cause);
  }

  delete(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }

  get(id: string): WriteCause | undefined {
    return this.#young.get(id) ?? this.#old.get(id);
  }

  *entries(): Iterable<readonly [id: string, cause: WriteCause]> {
    for (const entry of this.#old) if (!this.#young.has(entry[0])) yield entry;
    yield* this.#young;
  }
}

/** Why each object was last written: bounded by the objects there are, and by a number for each kind. */
export class CauseLog {
  readonly #namespaces = new Map<string, Map<string, KindCauses>>();

  record(kind: Kind, id: string, cause: WriteCause): void {
    this.#ofKind(kind).set(id, cause);
  }

  /** Drops what is told of an object that is gone. */
  forget({ namespace, type }: Kind, id: string): void {
    this.#namespaces.get(namespace)?.get(type)?.delete(id);
  }

  find({ namespace, type, id }: Pointer): WriteCause | undefined {
    return this.#namespaces.get(namespace)?.get(type)?.get(id);
  }

  /** Everything that is remembered. */
  *entries(): Iterable<readonly [Pointer, WriteCause]> {
    for (const [namespace, types] of this.#namespaces) {
      for (const [type, causes] of types) {
        for (const [id, cause] of causes.entries()) yield [{ namespace, type, id }, cause];
      }
    }
  }

  #ofKind({ namespace, type }: Kind): KindCauses {
    let types = this.#namespaces.get(namespace);
    if (types === undefined) this.#namespaces.set(namespace, types = new Map());
    let causes = types.get(type);
    if (causes === undefined) types.set(type, causes = new KindCauses());
    return causes;
  }
}
