import type { WatchEvent, WatchKindOptions } from "../cosi/mod.ts";
import { LatestEvents } from "./latest_events.ts";

/** How many events may wait for a consumer that does not coalesce before the stream is held. */
const MAX_PENDING = 1024;

/** What an inbox asks of the stream that fills it. */
export interface InboxSource {
  pause(): void;
  resume(): void;
  /** The consumer's wake function threw. */
  fail(error: Error): void;
}

type Batch = IteratorResult<readonly WatchEvent[], undefined>;
const NONE: readonly WatchEvent[] = Object.freeze([]);
const END = { done: true, value: undefined } as const;

/** Events between a stream and its consumer, who takes them when it likes, is woken, or waits for the next batch. */
export class WatchInbox {
  readonly #source: InboxSource;
  readonly #wake: (() => void) | undefined;
  readonly #latest: LatestEvents | undefined;
  #pending: WatchEvent[] = [];
  #hasLatest = false;
  #isPaused = false;
  /** The consumer was woken and has not taken since; or it has not got the watch yet. */
  #isWoken = true;
  #last: WatchEvent | undefined;
  #isClosed = false;
  #resume: (() => void) | undefined;

  constructor({ coalesce = false, wake }: WatchKindOptions, source: InboxSource) {
    this.#source = source;
    this.#wake = wake;
    this.#latest = coalesce ? new LatestEvents() : undefined;
  }

  /** The consumer gets the watch: from the next turn on it is woken, by what came until then too. */
  opened(): void {
    setImmediate(() => {
      this.#isWoken = false;
      if (this.#pending.length > 0 || this.#hasLatest || this.#last !== undefined) this.#notify();
    });
  }

  put(events: readonly WatchEvent[]): void {
    if (events.length === 0 || this.#isClosed) return;
    for (const event of events) this.#add(event);
    if (!this.#isPaused && this.#pending.length >= MAX_PENDING) {
      this.#isPaused = true;
      this.#source.pause();
    }
    this.#notify();
  }

  #add(event: WatchEvent): void {
    const isChange = event.bookmark !== undefined && event.type !== "noop" && event.type !== "bootstrapped";
    if (this.#latest !== undefined && isChange) {
      this.#latest.add(event);
      this.#hasLatest = true;
      return;
    }
    if (this.#latest !== undefined && this.#hasLatest) this.#settle(this.#latest);
    this.#pending.push(event);
  }

  #settle(latest: LatestEvents): void {
    for (const event of latest.drain()) this.#pending.push(event);
    this.#hasLatest = false;
  }

  /** No more events after this one. */
  end(event: WatchEvent): void {
    if (this.#isClosed || this.#last !== undefined) return;
    this.#last = event;
    this.#notify();
  }

  /** What is pending is dropped, and who waits waits no longer. */
  close(): void {
    this.#isClosed = true;
    this.#pending = [];
    this.#awake();
  }

  #notify(): void {
    this.#awake();
    if (this.#isWoken) return;
    this.#isWoken = true;
    try {
      this.#wake?.();
    } catch (error) {
      this.#source.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #awake(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  take(): readonly WatchEvent[] {
    if (this.#isClosed) return NONE;
    if (this.#latest !== undefined && this.#hasLatest) this.#settle(this.#latest);
    const taken = this.#pending;
    this.#isWoken = false;
    if (this.#last !== undefined) {
      taken.push(this.#last);
      this.#isClosed = true;
    }
    if (taken.length === 0) return NONE;
    this.#pending = [];
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#source.resume();
    }
    return taken;
  }

  next(): Promise<Batch> {
    const value = this.take();
    if (value.length > 0) return Promise.resolve({ done: false, value });
    if (this.#isClosed) return Promise.resolve(END);
    return new Promise<void>((resolve) => this.#resume = resolve).then(() => this.next());
  }
}
