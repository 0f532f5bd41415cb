import { AccessRules } from "./access_rules.ts";
import { Backoff, pause } from "./backoff.ts";
import type { Controller } from "./controller.ts";
import { type ControllerCounters, type ControllerStatus, countFailure, newCounters } from "./controller_status.ts";
import { ControllerStatuses } from "./controller_statuses.ts";
import type { Input } from "./inputs.ts";
import type { CachedFeed, Dependent, KindFeed } from "./kind_feed.ts";
import type { Kind } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { Runner, RunnerHost } from "./runner_host.ts";
import { type LoopHost, RuntimeAccess } from "./runtime_access.ts";
import type { State, WatchEvent } from "./state.ts";
import { TeardownSignals } from "./teardown_signals.ts";
import { type CauseLog, PendingCause, type WakeReason } from "./write_cause.ts";

/** Runs one controller: one reconcile at a time, one wake-up pending at most, failures backed off. */
export class ControllerRunner implements Runner, LoopHost {
  readonly controller: Controller;
  readonly name: string;
  readonly counters: ControllerCounters;
  readonly signal: AbortSignal;
  readonly state: State;
  readonly causes: CauseLog;
  readonly ends = new TeardownSignals();
  rules: AccessRules;

  readonly #host: RunnerHost;
  readonly #access: RuntimeAccess;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  readonly #dependents = new Map<string, { readonly feed: KindFeed; readonly dependent: Dependent }>();
  /** What waits for others to let go, by feed and owner. */
  readonly #held = new Map<KindFeed, Map<string, Dependent>>();
  readonly #pending = new PendingCause();
  #isPending = false;
  #resume: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deadline = Infinity;

  constructor(controller: Controller, host: RunnerHost) {
    const { name, inputs, outputs } = controller;
    this.controller = controller;
    this.name = name;
    this.signal = this.#stop.signal;
    this.state = host.stateFor(this.signal);
    this.causes = host.causes;
    this.counters = newCounters(name);
    this.rules = new AccessRules(name, inputs, outputs);
    this.#host = host;
    this.#backoff = new Backoff(host.backoff);
    this.#access = new RuntimeAccess(this, this.#pending.take(name));
  }

  status(): ControllerStatus {
    return { ...this.counters, queue: { ...this.counters.queue } };
  }

  cachedFeed(kind: Kind): CachedFeed | undefined {
    return this.#host.cachedFeed(kind);
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  async shutDown(): Promise<void> {
    for (const { feed, dependent } of this.#dependents.values()) feed.remove(dependent);
    for (const [feed, byOwner] of this.#held) for (const dependent of byOwner.values()) feed.remove(dependent);
    await this.controller.shutdown?.();
  }

  #wake(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    this.counters.wakeUps++;
    this.#resume?.();
  }

  #wakeFor(reason: WakeReason): void {
    this.#pending.note(reason);
    this.#wake();
  }

  #wakeBy(events: readonly WatchEvent[]): void {
    this.#pending.add(events);
    this.#wake();
  }

  read(resources: readonly Resource[]): void {
    this.#pending.read(resources, this.name);
  }

  request(): void {
    this.#wakeFor("request");
  }

  async run(): Promise<void> {
    await this.#follow(this.controller.inputs);
    const stop = () => this.#resume?.();
    this.signal.addEventListener("abort", stop, { once: true });
    using subscriptions = new DisposableStack();
    let isSubscribed = false;
    this.#wakeFor("start");
    while (true) {
      await this.#nextWake();
      await this.#host.turn.enter();
      if (this.signal.aborted) break;
      this.#isPending = false;
      this.#access.cause = this.#pending.take(this.name);
      this.#clearTimer();
      const isGood = await this.#attempt(async () => {
        if (!isSubscribed) {
          for (const source of this.controller.wakeOn) {
            subscriptions.use(source.subscribe(() => this.#wakeFor("outside")));
          }
          isSubscribed = true;
        }
        await this.controller.reconcile(this.#access);
      });
      if (!isGood) await this.#retryLater();
    }
    this.signal.removeEventListener("abort", stop);
    this.#clearTimer();
    this.counters.state = "stopped";
    this.#host.changed(this);
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
    this.#host.changed(this);
    try {
      await reconcile();
      this.#backoff.reset();
      counters.failures = 0;
      return true;
    } catch (error) {
      if (!this.signal.aborted) countFailure(counters, error);
      return false;
    } finally {
      this.#access.endRun();
      counters.lastRunMs = performance.now() - start;
      counters.runMs += counters.lastRunMs;
      this.#host.changed(this);
    }
  }

  async #retryLater(): Promise<void> {
    if (this.signal.aborted) return;
    const delayMs = this.#backoff.next();
    this.counters.state = "backoff";
    this.counters.backoffUntil = Date.now() + delayMs;
    this.#host.changed(this);
    this.log("error", `${this.counters.lastError}; next try in ${Math.round(delayMs)} ms`);
    await pause(delayMs, this.signal);
    this.counters.backoffUntil = undefined;
    this.#wakeFor("retry");
  }

  log(level: "info" | "error", message: string): void {
    this.#host.log(this.name, level, message);
  }

  /** Wakes at the latest after this time; the earliest of several calls counts. */
  wakeWithin(delayMs: number): void {
    const deadline = performance.now() + delayMs;
    if (deadline >= this.#deadline || this.signal.aborted) return;
    this.#clearTimer();
    this.#deadline = deadline;
    this.#timer = setTimeout(() => {
      this.#clearTimer();
      this.#wakeFor("timer");
    }, Math.min(delayMs, MAX_TIMER_MS));
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deadline = Infinity;
  }

  /** Replaces what wakes the controller; resolves once the new watches are established. */
  async updateInputs(inputs: readonly Input[]): Promise<void> {
    this.#host.replaceInputs(this.name, inputs);
    await this.#follow(inputs);
    this.rules = new AccessRules(this.name, inputs, this.controller.outputs);
  }

  async #follow(inputs: readonly Input[]): Promise<void> {
    const gone = new Set(this.#dependents.keys());
    const opening: Promise<void>[] = [];
    for (const { definition: { type }, namespace, id, kind } of inputs) {
      const key = JSON.stringify([namespace, type, id, kind]);
      gone.delete(key);
      if (this.#dependents.has(key)) continue;
      const feed = this.#host.feed({ namespace, type });
      const dependent = this.#dependent(type, { kind, id });
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

  #dependent(type: string, place: Pick<Dependent, "kind" | "id" | "owner">): Dependent {
    const resync = () => this.#wakeFor("resync");
    if (type !== ControllerStatuses.type) return { ...place, resync, wake: (events) => this.#wakeBy(events) };
    // Its own status would wake it for ever.
    return {
      ...place,
      resync,
      wake: (events) => {
        const others = events.filter(({ resource }) => resource.metadata.id !== this.name);
        if (others.length > 0) this.#wakeBy(others);
      },
    };
  }

  /** From now on, wakes when nobody holds an object of that owner any more whose end was asked for. */
  async awaitRelease(kind: Kind, owner: string): Promise<void> {
    const feed = this.#host.feed(kind);
    let byOwner = this.#held.get(feed);
    if (byOwner === undefined) this.#held.set(feed, byOwner = new Map());
    if (byOwner.has(owner)) return;
    const dependent = this.#dependent(kind.type, { kind: "destroyReady", id: undefined, owner });
    byOwner.set(owner, dependent);
    feed.add(dependent);
    await feed.open();
    const own = (await this.state.list(kind)).filter(({ metadata }) => metadata.owner === owner);
    if (own.some(({ metadata: { phase, finalizers } }) => phase === "tearingDown" && finalizers.length === 0)) {
      this.#wakeFor("change"); // let go before the watch was there
    }
  }
}

/** The longest delay that `setTimeout` takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;
