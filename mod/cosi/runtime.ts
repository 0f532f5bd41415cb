import type { BackoffOptions } from "./backoff.ts";
import type { Controller } from "./controller.ts";
import { ControllerRunner } from "./controller_runner.ts";
import type { ControllerStatus } from "./controller_status.ts";
import { Dependencies, type DependencyEdge } from "./dependencies.ts";
import { RegistrationError } from "./errors.ts";
import type { AnyInput } from "./inputs.ts";
import { KindCache } from "./kind_cache.ts";
import { type CachedFeed, isCached, KindFeed } from "./kind_feed.ts";
import { LimitedState, type RateLimit } from "./limited_state.ts";
import type { Kind } from "./metadata.ts";
import type { QController } from "./q_controller.ts";
import { QRunner } from "./q_runner.ts";
import { RunTurn } from "./run_turn.ts";
import { CachedState } from "./cached_state.ts";
import { type RuntimeMetrics, runtimeMetrics } from "./runtime_metrics.ts";
import type { Log, Runner, RunnerHost } from "./runner_host.ts";
import type { State } from "./state.ts";
import { StatusBoard } from "./status_board.ts";
import { CauseLog } from "./write_cause.ts";

/** How a runtime behaves. */
export interface RuntimeOptions {
  /** Receives one line for each change made and each failure; nothing is logged otherwise. */
  readonly log?: Log;
  /** Delays between tries of a failing controller; 500 ms to one minute unless said. */
  readonly backoff?: Partial<BackoffOptions>;
  /** Kinds that controllers read from memory, as the watch tells of them (cosi.md 3-G). */
  readonly cached?: Iterable<Kind>;
  /** How much each controller may write; as much as it wants unless said. */
  readonly rateLimit?: RateLimit;
  /** Keeps a `ControllerStatuses` resource for each controller. */
  readonly publishStatus?: boolean;
}

/** Runs controllers on a state until it is stopped. It does not end for a failing controller or a broken watch. */
export class Runtime implements RunnerHost {
  readonly state: State;
  readonly log: Log;
  readonly backoff: Partial<BackoffOptions>;
  readonly turn = new RunTurn();
  /** Why controllers last wrote their objects; `ExplainedState` shows it to clients. */
  readonly causes = new CauseLog();
  readonly #dependencies = new Dependencies();
  readonly #feeds = new Map<string, Map<string, KindFeed>>();
  readonly #cached = new Map<string, Set<string>>();
  readonly #limit: RateLimit | undefined;
  readonly #board: StatusBoard | undefined;
  readonly #runners = new Map<string, Runner>();
  readonly #running = new Map<Runner, Promise<void>>();
  readonly #stop = new AbortController();
  #hasStarted = false;

  constructor(state: State, options: RuntimeOptions = {}) {
    const { log = () => {}, backoff = {}, cached = [], rateLimit, publishStatus = false } = options;
    this.state = state;
    this.log = log;
    this.backoff = backoff;
    this.#limit = rateLimit;
    for (const { namespace, type } of cached) {
      this.#cached.set(namespace, (this.#cached.get(namespace) ?? new Set()).add(type));
    }
    if (publishStatus) {
      this.#board = new StatusBoard(state, (error) => this.log("", "error", `status of controllers: ${error}`));
    }
  }

  /** Takes a controller in; it starts with the runtime, or at once. @throws {RegistrationError} */
  register(controller: Controller | QController): void {
    const { name } = controller;
    if (this.#stop.signal.aborted) throw new RegistrationError(name, "the runtime has stopped");
    this.#dependencies.add(controller);
    const runner = "concurrency" in controller ? new QRunner(controller, this) : new ControllerRunner(controller, this);
    this.#runners.set(name, runner);
    if (this.#hasStarted) this.#start(runner);
  }

  /**
   * Ends a controller: its work under way, then its shutdown. What it wrote stays; its types and name are free again.
   * @throws {RegistrationError} when there is none of that name.
   */
  async unregister(name: string): Promise<void> {
    const runner = this.#runners.get(name);
    if (runner === undefined) throw new RegistrationError(name, "it was not there to unregister");
    this.#runners.delete(name);
    runner.stop(new RegistrationError(name, "it was unregistered"));
    await this.#running.get(runner);
    await this.#shutDown(runner);
    this.#dependencies.remove(name);
    this.#closeUnused();
    await this.#board?.remove(runner);
  }

  #closeUnused(): void {
    if (!this.#hasStarted) return; // nobody uses anything yet
    for (const [, feeds] of this.#feeds) {
      for (const [type, feed] of feeds) {
        if (!feed.isUnused || feed.cache !== undefined) continue;
        feed.close();
        feeds.delete(type);
      }
    }
  }

  /**
   * Runs all controllers until `signal` is aborted, then waits for reconciles under way and runs the shutdown of each
   * controller, the last registered first. @throws {TypeError} when it ran before.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted) throw new TypeError("Cannot run the runtime: it has already been started");
    this.#hasStarted = true;
    for (const runner of this.#runners.values()) this.#start(runner);
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    this.#stop.abort(signal.reason);
    for (const runner of this.#running.keys()) runner.stop(signal.reason);
    await Promise.all(this.#running.values());
    for (const runner of [...this.#runners.values()].reverse()) await this.#shutDown(runner);
    for (const feeds of this.#feeds.values()) for (const feed of feeds.values()) feed.close();
    await this.#board?.close();
  }

  #start(runner: Runner): void {
    const running = runner.run().catch((error) => {
      this.log(runner.name, "error", `ended: ${error instanceof Error ? error.message : error}`);
    }).finally(() => this.#running.delete(runner));
    this.#running.set(runner, running);
  }

  async #shutDown(runner: Runner): Promise<void> {
    try {
      await runner.shutDown();
    } catch (error) {
      this.log(runner.name, "error", `shutdown: ${error instanceof Error ? error.message : error}`);
    }
  }

  changed(runner: Runner): void {
    this.#board?.changed(runner);
  }

  stateFor(signal: AbortSignal): State {
    return this.#limit === undefined ? this.state : new LimitedState(this.state, this.#limit, signal);
  }

  /** The watch on a kind that all controllers share. */
  feed(kind: Kind): KindFeed {
    const { namespace, type } = kind;
    let types = this.#feeds.get(namespace);
    if (types === undefined) this.#feeds.set(namespace, types = new Map());
    let feed = types.get(type);
    if (feed === undefined) {
      const warn = (message: string) => this.log("", "warn", message);
      const cache = this.#cached.get(namespace)?.has(type) ? new KindCache() : undefined;
      feed = new KindFeed(this.state, { namespace, type }, this.#stop.signal, warn, this.backoff, cache);
      types.set(type, feed);
    }
    return feed;
  }

  cachedFeed(kind: Kind): CachedFeed | undefined {
    if (this.#cached.size === 0 || !this.#cached.get(kind.namespace)?.has(kind.type)) return undefined;
    const feed = this.feed(kind);
    return isCached(feed) ? feed : undefined;
  }

  /** The state with cached kinds read from memory; everything else goes through (clause 3.35). */
  cachedState(): State {
    return new CachedState(this.state, (kind) => this.cachedFeed(kind), this.#stop.signal);
  }

  replaceInputs(controller: string, inputs: readonly AnyInput[]): void {
    this.#dependencies.replaceInputs(controller, inputs);
  }

  /** All connections between controllers and types. */
  dependencies(): DependencyEdge[] {
    return this.#dependencies.edges();
  }

  /** How each controller fares, in the order of registration. */
  status(): ControllerStatus[] {
    return [...this.#runners.values()].map((runner) => runner.status());
  }

  /** Counters under the names that COSI has for them (cosi.md 3-I). */
  metrics(): RuntimeMetrics {
    const caches = [...this.#feeds.values()].flatMap((feeds) => [...feeds.values()])
      .flatMap(({ kind, cache }) => cache === undefined ? [] : [{ type: kind.type, size: cache.size }]);
    const counted = [...this.#runners.values()].map((runner) => ({
      status: runner.status(),
      isQueue: runner instanceof QRunner,
      inputItems: runner instanceof ControllerRunner ? runner.controller.inputItems?.() : undefined,
    }));
    return runtimeMetrics(counted, caches);
  }
}
