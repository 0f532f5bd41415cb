import { type AccessHost, RuntimeAccess } from "./runtime_access.ts";
import { Backoff, type BackoffOptions, pause } from "./backoff.ts";
import type { Controller, Input } from "./controller.ts";
import { type ControllerCounters, type ControllerStatus, newCounters } from "./controller_status.ts";
import type { Dependent, KindFeed } from "./kind_feed.ts";
import type { Kind } from "./metadata.ts";
import type { RunTurn } from "./run_turn.ts";
import type { State } from "./state.ts";

/** How severe a log line is. */
export type LogLevel = "info" | "warn" | "error";
/** Receives one line about a controller; the runtime's own lines come with an empty name. */
export type Log = (controller: string, level: LogLevel, message: string) => void;

/** What a runner needs of its runtime. */
export interface RunnerHost {
  readonly state: State;
  readonly log: Log;
  readonly backoff: Partial<BackoffOptions>;
  readonly turn: RunTurn;
  feed(kind: Kind): KindFeed;
  /** @throws {RegistrationError} */
  replaceInputs(controller: string, inputs: readonly Input[]): void;
}

/** Runs one controller: one reconcile at a time, one wake-up pending at most, failures backed off. */
export class ControllerRunner implements AccessHost {
  readonly controller: Controller;
  readonly counters: ControllerCounters;
  readonly signal: AbortSignal;
  readonly state: State;

  readonly #host: RunnerHost;
  readonly #access: RuntimeAccess;
  readonly #backoff: Backoff;
  readonly #dependents = new Map<string, { readonly feed: KindFeed; readonly dependent: Dependent }>();
  readonly #held = new Set<KindFeed>();
  #isPending = false;
  #resume: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deadline = Infinity;

  constructor(controller: Controller, host: RunnerHost, signal: AbortSignal) {
    this.controller = controller;
    this.signal = signal;
    this.state = host.state;
    this.counters = newCounters(controller.name);
    this.#host = host;
    this.#backoff = new Backoff(host.backoff);
    this.#access = new RuntimeAccess(controller, this);
  }

  status(): ControllerStatus {
    return { ...this.counters };
  }

  wake(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    this.counters.wakeUps++;
    this.#resume?.();
  }

  /** Runs until the signal is aborted and the reconcile under way has ended. Never rejects. */
  async run(): Promise<void> {
    await this.#follow(this.controller.inputs);
    const stop = () => this.#resume?.();
    this.signal.addEventListener("abort", stop, { once: true });
    using subscriptions = new DisposableStack();
    let isSubscribed = false;
    this.wake();
    while (true) {
      await this.#nextWake();
      await this.#host.turn.enter();
      if (this.signal.aborted) break;
      this.#isPending = false;
      this.#clearTimer();
      const isGood = await this.#attempt(async () => {
        if (!isSubscribed) {
          for (const source of this.controller.wakeOn) subscriptions.use(source.subscribe(() => this.wake()));
          isSubscribed = true;
        }
        await this.controller.reconcile(this.#access);
      });
      if (!isGood) await this.#retryLater();
    }
    this.signal.removeEventListener("abort", stop);
    this.#clearTimer();
    this.counters.state = "stopped";
  }

  async #nextWake(): Promise<void> {
    if (this.#isPending || this.signal.aborted) return;
    this.counters.state = "idle";
    await new Promise<void>((resolve) => this.#resume = resolve);
    this.#resume = undefined;
  }

  async #attempt(reconcile: () => Promise<void>): Promise<boolean> {
    const { counters } = this;
    const start = performance.now();
    counters.state = "running";
    counters.runs++;
    try {
      await reconcile();
      this.#backoff.reset();
      counters.failures = 0;
      return true;
    } catch (error) {
      if (!this.signal.aborted) this.#failed(error);
      return false;
    } finally {
      this.#access.endRun();
      counters.lastRunMs = performance.now() - start;
      counters.runMs += counters.lastRunMs;
    }
  }

  #failed(error: unknown): void {
    const { counters } = this;
    counters.lastError = failureText(error);
    counters.lastErrorAt = Date.now();
    counters.failures++;
    counters.restarts++;
  }

  async #retryLater(): Promise<void> {
    if (this.signal.aborted) return;
    const delayMs = this.#backoff.next();
    this.counters.state = "backoff";
    this.counters.backoffUntil = Date.now() + delayMs;
    this.log("error", `${this.counters.lastError}; next try in ${Math.round(delayMs)} ms`);
    await pause(delayMs, this.signal);
    this.counters.backoffUntil = undefined;
    this.wake();
  }

  log(level: LogLevel, message: string): void {
    this.#host.log(this.controller.name, level, message);
  }

  /** Wakes at the latest after this time; the earliest of several calls counts. */
  wakeWithin(delayMs: number): void {
    const deadline = performance.now() + delayMs;
    if (deadline >= this.#deadline || this.signal.aborted) return;
    this.#clearTimer();
    this.#deadline = deadline;
    this.#timer = setTimeout(() => {
      this.#clearTimer();
      this.wake();
    }, Math.min(delayMs, MAX_TIMER_MS));
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deadline = Infinity;
  }

  /** Replaces what wakes the controller; resolves once the new watches are established. */
  async updateInputs(inputs: readonly Input[]): Promise<void> {
    this.#host.replaceInputs(this.controller.name, inputs);
    await this.#follow(inputs);
  }

  async #follow(inputs: readonly Input[]): Promise<void> {
    const gone = new Set(this.#dependents.keys());
    const opening: Promise<void>[] = [];
    for (const { definition: { type }, namespace, id, kind } of inputs) {
      const key = JSON.stringify([namespace, type, id, kind]);
      gone.delete(key);
      if (this.#dependents.has(key)) continue;
      const feed = this.#host.feed({ namespace, type });
      const dependent = { kind, id, wake: () => this.wake() };
      feed.add(dependent);
      this.#dependents.set(key, { feed, dependent });
      opening.push(feed.open());
    }
    for (const key of gone) {
      const entry = this.#dependents.get(key);
      entry?.feed.remove(entry.dependent);
      this.#dependents.delete(key);
    }
    await Promise.all(opening);
  }

  /** From now on, wakes when nobody holds an own object of the kind any more whose end was asked for. */
  async awaitRelease(kind: Kind): Promise<void> {
    const feed = this.#host.feed(kind);
    if (this.#held.has(feed)) return;
    this.#held.add(feed);
    const owner = this.controller.name;
    feed.add({ kind: "destroyReady", id: undefined, owner, wake: () => this.wake() });
    await feed.open();
    const own = (await this.state.list(kind)).filter(({ metadata }) => metadata.owner === owner);
    if (own.some(({ metadata: { phase, finalizers } }) => phase === "tearingDown" && finalizers.length === 0)) {
      this.wake(); // let go before the watch was there
    }
  }
}

/** The message, and for a fault of the program where it happened. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isFault = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isFault ? error.stack ?? error.message : error.message;
}

/** The longest delay that `setTimeout` takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;
