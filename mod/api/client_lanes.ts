import type { Client } from "@grpc/grpc-js";

/**
 * HTTP/2 servers end a connection on which a client cancelled many streams in a row, with all that goes over it: those
 * on nghttp2, as of Node, Deno and others, after 1,000, of which 33 a second are forgotten. Below that by a margin.
 */
const MAX_CANCELS = 900;
const FORGOTTEN_PER_SECOND = 30;

/** One connection, which counts the streams that were or may be cancelled. */
export class ClientLane {
  readonly client: Client;
  #open = 0;
  #cancelled = 0;
  #countedAt = performance.now();

  constructor(client: Client) {
    this.client = client;
  }

  /** A stream is opened; the function it answers with is to be called once at its end. */
  opened(): (how: "ended" | "cancelled") => void {
    this.#open++;
    return (how) => {
      this.#open--;
      if (how === "cancelled") this.#cancelled = this.#remembered() + 1;
    };
  }

  /** Whether no stream goes over it; calls that answer once may. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Whether one stream more could be one too many, if all were cancelled at once. */
  get isFull(): boolean {
    if (this.#open + this.#cancelled < MAX_CANCELS) return false; // without a look at the clock
    return this.#open + this.#remembered() >= MAX_CANCELS;
  }

  #remembered(): number {
    const now = performance.now();
    this.#cancelled = Math.max(0, this.#cancelled - (now - this.#countedAt) / 1000 * FORGOTTEN_PER_SECOND);
    this.#countedAt = now;
    return this.#cancelled;
  }
}

/** Connections to one server: one, and another when that has had its share of streams. */
export class ClientLanes implements Disposable {
  readonly #make: () => Client;
  #lanes: ClientLane[];

  constructor(make: () => Client) {
    this.#make = make;
    this.#lanes = [new ClientLane(make())];
  }

  /** The connection for the next call. */
  next(): ClientLane {
    const [first] = this.#lanes;
    if (first !== undefined && !first.isFull) return first;
    const free = this.#lanes.find((lane) => !lane.isFull) ?? this.#another();
    this.#lanes = [free, ...this.#lanes.filter((lane) => lane !== free)];
    return free;
  }

  /** One more connection; those that are full of what is over and gone are closed. */
  #another(): ClientLane {
    for (const { client } of this.#lanes.filter(({ isIdle }) => isIdle)) client.close();
    this.#lanes = this.#lanes.filter(({ isIdle }) => !isIdle);
    return new ClientLane(this.#make());
  }

  /** Makes no more calls, and closes the connections once those in flight have ended. */
  [Symbol.dispose](): void {
    for (const { client } of this.#lanes) client.close();
  }
}
