import { Notifier } from "./notifier.ts";
import { newXid } from "./xid.ts";
import type { ServiceHealth, ServiceState } from "./service_state.ts";

/** How a sequence ended otherwise than well. */
export interface SequenceFailure {
  code: "fatal" | "locked" | "canceled";
  message: string;
}

/** What happened, as plain data; the names are those of the machine API's events. */
export type EventPayload =
  | { kind: "sequence"; sequence: string; action: "noop" | "start" | "stop"; error?: SequenceFailure }
  | { kind: "phase"; phase: string; action: "start" | "stop" }
  | { kind: "task"; task: string; action: "start" | "stop" }
  | { kind: "serviceState"; service: string; action: ServiceState; message: string; health: ServiceHealth }
  /** `command` is the number that reboot(2) is about to be called with. */
  | { kind: "restart"; command: number }
  | { kind: "configLoadError"; error: string }
  | { kind: "configValidationError"; error: string }
  | { kind: "address"; hostname: string; addresses: readonly string[] }
  | { kind: "machineStatus"; stage: string; ready: boolean; unmet: readonly { name: string; reason: string }[] };

/** An event on the bus. */
export interface MachineEvent {
  /** Sorts by time; see {@link newXid}. */
  readonly id: string;
  /** Who caused it: the id of an API call or sequence, empty for none. */
  readonly actorId: string;
  readonly timeMs: number;
  readonly payload: EventPayload;
}

/** Which events to give; all given conditions hold. */
export interface EventQuery {
  /** How many past events: negative for all that are kept, by default none. */
  tailEvents?: number;
  /** The past events after the one with this id. */
  tailId?: string;
  /** The past events of that many seconds. */
  tailSeconds?: number;
  /** Only events of this actor. */
  actorId?: string;
}

/** Keeps the last events and lets any number of readers follow; a reader costs one position, not a queue. */
export class EventBus {
  readonly #capacity: number;
  readonly #ring: MachineEvent[] = [];
  readonly #changes = new Notifier();
  #count = 0; // ever published; the event with number n lies at n % capacity

  constructor(capacity = 1000) {
    this.#capacity = capacity;
  }

  /** Adds an event and wakes the followers. */
  publish(payload: EventPayload, actorId = ""): MachineEvent {
    const event: MachineEvent = { id: newXid(), actorId, timeMs: Date.now(), payload };
    this.#ring[this.#count % this.#capacity] = event;
    this.#count++;
    this.#changes.notify();
    return event;
  }

  /** The past events that the query asks for, oldest first. */
  list(query: EventQuery): MachineEvent[] {
    return [...this.#between(this.#position(query), this.#count)].filter((event) => isOf(query, event));
  }

  /**
   * The past events that the query asks for, then new ones until the signal aborts. A reader that is slower than
   * 1000 events of the bus misses the oldest ones.
   */
  async *follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<MachineEvent, void> {
    let position = this.#position(query);
    while (!signal.aborted) {
      position = Math.max(position, this.#oldest());
      const event = this.#ring[position % this.#capacity];
      if (position === this.#count || event === undefined) {
        await this.#changes.next(signal);
        continue;
      }
      position++;
      if (isOf(query, event)) yield event;
    }
  }

  #oldest(): number {
    return Math.max(0, this.#count - this.#capacity);
  }

  *#between(from: number, to: number): Generator<MachineEvent, void> {
    for (let n = from; n < to; n++) {
      const event = this.#ring[n % this.#capacity];
      if (event !== undefined) yield event;
    }
  }

  /** The number of the first event wanted. */
  #position({ tailEvents, tailId, tailSeconds, actorId }: EventQuery): number {
    if (tailEvents === undefined && tailId === undefined && tailSeconds === undefined) return this.#count;
    const since = tailSeconds === undefined ? -Infinity : Date.now() - tailSeconds * 1000;
    let position = this.#count;
    let left = tailEvents === undefined || tailEvents < 0 ? Infinity : tailEvents;
    while (position > this.#oldest() && left > 0) {
      const event = this.#ring[(position - 1) % this.#capacity];
      if (event === undefined || event.timeMs < since || (tailId !== undefined && event.id <= tailId)) break;
      if (actorId === undefined || event.actorId === actorId) left--;
      position--;
    }
    return position;
  }
}

function isOf({ actorId }: EventQuery, event: MachineEvent): boolean {
  return actorId === undefined || event.actorId === actorId;
}
