import type { BackoffOptions } from "./backoff.ts";
import type { Controller, Input } from "./controller.ts";
import { ControllerRunner, type Log, type RunnerHost } from "./controller_runner.ts";
import type { ControllerStatus } from "./controller_status.ts";
import { Dependencies, type DependencyEdge } from "./dependencies.ts";
import { RegistrationError } from "./errors.ts";
import { KindFeed } from "./kind_feed.ts";
import type { Kind } from "./metadata.ts";
import { RunTurn } from "./run_turn.ts";
import type { State } from "./state.ts";

/** How a runtime behaves. */
export interface RuntimeOptions {
  /** Receives one line for each change made and each failure; nothing is logged otherwise. */
  readonly log?: Log;
  /** Delays between tries of a failing controller; 500 ms to one minute unless said. */
  readonly backoff?: Partial<BackoffOptions>;
}

/** Runs controllers on a state until it is stopped. It does not end for a failing controller or a broken watch. */
export class Runtime implements RunnerHost {
  readonly state: State;
  readonly log: Log;
  readonly backoff: Partial<BackoffOptions>;
  readonly turn = new RunTurn();
  readonly #dependencies = new Dependencies();
  readonly #feeds = new Map<string, Map<string, KindFeed>>();
  readonly #runners: ControllerRunner[] = [];
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #hasStarted = false;

  constructor(state: State, options: RuntimeOptions = {}) {
    const { log = () => {}, backoff = {} } = options;
    this.state = state;
    this.log = log;
    this.backoff = backoff;
  }

  /** Takes a controller in; it starts with the runtime, or at once. @throws {RegistrationError} */
  register(controller: Controller): void {
    if (this.#stop.signal.aborted) throw new RegistrationError(controller.name, "the runtime has stopped");
    this.#dependencies.add(controller);
    const runner = new ControllerRunner(controller, this, this.#stop.signal);
    this.#runners.push(runner);
    if (this.#hasStarted) this.#start(runner);
  }

  /**
   * Runs all controllers until `signal` is aborted, then waits for reconciles under way and runs the shutdown of each
   * controller, the last registered first. @throws {TypeError} when it ran before.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted) throw new TypeError("Cannot run the runtime: it has already been started");
    this.#hasStarted = true;
    for (const runner of this.#runners) this.#start(runner);
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    this.#stop.abort(signal.reason);
    await Promise.all(this.#running);
    for (const runner of this.#runners.toReversed()) await this.#shutDown(runner);
    for (const feeds of this.#feeds.values()) for (const feed of feeds.values()) feed.close();
  }

  #start(runner: ControllerRunner): void {
    const running = runner.run().catch((error) => {
      this.log(runner.controller.name, "error", `ended: ${error instanceof Error ? error.message : error}`);
    }).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #shutDown({ controller }: ControllerRunner): Promise<void> {
    try {
      await controller.shutdown?.();
    } catch (error) {
      this.log(controller.name, "error", `shutdown: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** The watch on a kind that all controllers share. */
  feed(kind: Kind): KindFeed {
    const { namespace, type } = kind;
    let types = this.#feeds.get(namespace);
    if (types === undefined) this.#feeds.set(namespace, types = new Map());
    let feed = types.get(type);
    if (feed === undefined) {
      const warn = (message: string) => this.log("", "warn", message);
      feed = new KindFeed(this.state, { namespace, type }, this.#stop.signal, warn, this.backoff);
      types.set(type, feed);
    }
    return feed;
  }

  replaceInputs(controller: string, inputs: readonly Input[]): void {
    this.#dependencies.replaceInputs(controller, inputs);
  }

  /** All connections between controllers and types. */
  dependencies(): DependencyEdge[] {
    return this.#dependencies.edges();
  }

  /** How each controller fares, in the order of registration. */
  status(): ControllerStatus[] {
    return this.#runners.map((runner) => runner.status());
  }
}
