import { type HealthCheck, watchHealth } from "./health.ts";
import { LogBuffer } from "./log_buffer.ts";
import { delay, withinDeadline } from "./notifier.ts";
import type { Runner } from "./runner.ts";
import type { ServiceHealth, ServiceHistoryEntry, ServiceSnapshot, ServiceState } from "./service_state.ts";

const HISTORY_LENGTH = 64;

/** Something a service waits for before it starts. */
export interface Condition {
  /** What is waited for, e.g. `host name to be set`. */
  readonly description: string;
  /** Resolves once it is met or the signal aborts; throws if it cannot be met any more. */
  wait(signal: AbortSignal): Promise<void>;
}

/** When a service that ended by itself is started again. */
export type RestartPolicy = "forever" | "once" | "untilSuccess";

/** A service, as its author describes it. */
export interface ServiceDefinition {
  readonly id: string;
  /** Services that have to be up before this one starts, and that stop after it. */
  readonly dependencies?: readonly string[];
  readonly conditions?: readonly Condition[];
  /** Run before every start; throws {@link SkipService} to leave the service out. */
  readonly prepare?: () => void | Promise<void>;
  readonly run: Runner;
  /** Without one the service is up as soon as it runs. */
  readonly health?: HealthCheck;
  /** `forever` if left out; `once` is never started again. */
  readonly restart?: RestartPolicy;
  /** Pauses before the second restart in a row and on, doubling; 250 to 5000. */
  readonly backoffMs?: { readonly base: number; readonly limit: number };
  /** A service that ran this long starts its row of restarts anew; 10000. */
  readonly settledAfterMs?: number;
  /** Time between the polite and the hard way to stop; 10000. */
  readonly stopGraceMs?: number;
  /** What it gets beyond its grace before it counts as stuck; 2000. */
  readonly stuckAfterMs?: number;
  /** When the machine goes down, it stops after all services that do not say so. */
  readonly stopsLast?: boolean;
  /** What users may do to it by API; nothing if left out. */
  readonly userActions?: readonly ("start" | "stop" | "restart")[];
  /** Where its output goes besides the buffer in memory. */
  readonly logSink?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** Thrown by `prepare`: the service is not needed on this machine. */
export class SkipService extends Error {
  override readonly name = "SkipService";
}

/** A service in its life. Made by the supervisor, which says when to start and stop. */
export class Service {
  readonly definition: ServiceDefinition;
  readonly log: LogBuffer;
  readonly #onChange: (service: Service) => void;
  #state: ServiceState = "Initialized";
  #health: ServiceHealth = unknownHealth();
  #history: ServiceHistoryEntry[] = [];
  #restarts = 0;
  #pid = 0;
  #graceMs = 0; // set when it is told to stop
  #isRetired = false;
  #snapshot: ServiceSnapshot | undefined;
  #life: { stop: AbortController; ended: Promise<void> } | undefined;

  /** @param log of an earlier service of this id, to be continued */
  constructor(definition: ServiceDefinition, onChange: (service: Service) => void, log?: LogBuffer) {
    this.definition = definition;
    this.#onChange = onChange;
    this.log = log ?? new LogBuffer(definition.logSink === undefined ? {} : { sink: definition.logSink });
    this.#enter("Initialized", "Waiting to be started");
  }

  /** The service as it is now. */
  get snapshot(): ServiceSnapshot {
    this.#snapshot ??= Object.freeze({
      id: this.definition.id,
      state: this.#state,
      health: this.#health,
      history: Object.freeze([...this.#history]),
      restarts: this.#restarts,
      pid: this.#pid,
    });
    return this.#snapshot;
  }

  /** Runs, and its check says healthy if it has one; what those that depend on it wait for. */
  get isUp(): boolean {
    return this.#state === "Running" && (this.definition.health === undefined || this.#health.healthy);
  }

  /** Between start and the end of its life. */
  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  /** Starts its life, unless it has one. */
  start(dependencies: readonly Condition[]): void {
    if (this.#life !== undefined) return;
    const stop = new AbortController();
    const conditions = [...dependencies, ...(this.definition.conditions ?? [])];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#life = { stop, ended }; // before the first event, whose listeners may look at it
    void this.#live(conditions, stop.signal).then(() => {
      this.#life = undefined;
      resolve();
    });
  }

  /** From now on it is not started again when it ends by itself. */
  retire(): void {
    this.#isRetired = true;
  }

  /**
   * Stops it: politely, after the grace hard. Comes back when it has ended; false if even that did not end it, in
   * which case it is `Failed`, and alive until it does end: two of it would get into each other's way.
   */
  async stop(graceMs = this.definition.stopGraceMs ?? 10_000): Promise<boolean> {
    const life = this.#life;
    if (life === undefined) return true;
    if (!life.stop.signal.aborted) {
      this.#enter("Stopping", this.#pid === 0 ? "Stopping" : `Stopping process ${this.#pid}`);
      this.#graceMs = graceMs;
      life.stop.abort();
    }
    const limitMs = graceMs + (this.definition.stuckAfterMs ?? 2000);
    if (await withinDeadline(life.ended, limitMs) || this.#life !== life) return true;
    this.#enter("Failed", `Not ended ${limitMs} ms after it was told to`);
    return false;
  }

  async #live(conditions: readonly Condition[], stop: AbortSignal): Promise<void> {
    try {
      this.#enter("Starting", "Starting");
      await this.#await(conditions, stop);
      for (let failures = 0; !stop.aborted && !this.#isRetired;) {
        const started = performance.now();
        const failure = await this.#runOnce(stop);
        if (stop.aborted) break;
        if (!this.#goesOn(failure)) return;
        if (performance.now() - started >= (this.definition.settledAfterMs ?? 10_000)) failures = 0;
        const pauseMs = restartPause(failures++, this.definition.backoffMs);
        this.#restarts++;
        this.#enter("Waiting", `${failure ?? "Ended by itself"}; starting again${pauseMs ? ` in ${pauseMs} ms` : ""}`);
        await delay(pauseMs, stop);
      }
      this.#enter("Finished", "Stopped");
    } catch (error) {
      this.#enter(error instanceof SkipService ? "Skipped" : "Failed", text(error));
    }
  }

  /** Whether it is started again; if not, it has entered its last state. */
  #goesOn(failure: string | undefined): boolean {
    const policy = this.definition.restart ?? "forever";
    const isWanted = policy === "forever" || (policy === "untilSuccess" && failure !== undefined);
    if (isWanted && !this.#isRetired) return true;
    if (failure === undefined) this.#enter("Finished", "Ended by itself");
    else this.#enter("Failed", failure);
    return false;
  }

  async #await(conditions: readonly Condition[], stop: AbortSignal): Promise<void> {
    const open = new Set(conditions);
    const tell = () => this.#enter("Waiting", `Waiting for ${[...open].map((one) => one.description).join(", ")}`);
    const waits = conditions.map(async (condition) => {
      await condition.wait(stop);
      open.delete(condition);
      if (open.size > 0 && !stop.aborted && this.#state === "Waiting") tell();
    });
    const all = Promise.all(waits);
    // those that are met already resolve within a few turns: no event for them
    if (waits.length > 0 && !(await withinDeadline(all, 0)) && !stop.aborted) tell();
    await all;
  }

  /** One run, from preparation to end; gives the reason if it failed. */
  async #runOnce(stop: AbortSignal): Promise<string | undefined> {
    const checks = new AbortController();
    try {
      this.#enter("Preparing", "Preparing");
      await this.definition.prepare?.();
      if (stop.aborted) return undefined;
      await this.definition.run({
        ...{ id: this.definition.id, log: this.log, stop, graceMs: () => this.#graceMs },
        started: (pid = 0) => this.#running(pid, checks.signal),
      });
      return undefined;
    } catch (error) {
      if (error instanceof SkipService) throw error;
      return text(error);
    } finally {
      checks.abort();
      this.#pid = 0;
      this.#health = unknownHealth();
      this.#snapshot = undefined;
    }
  }

  #running(pid: number, signal: AbortSignal): void {
    this.#pid = pid;
    if (this.#state === "Stopping") return;
    this.#enter("Running", pid === 0 ? "Started" : `Started as process ${pid}`);
    const health = this.definition.health;
    if (health !== undefined) void watchHealth(health, (failure) => this.#assess(failure), signal);
  }

  #assess(failure: string | undefined): void {
    const { unknown, healthy, lastMessage } = this.#health;
    const isHealthy = failure === undefined;
    if (!unknown && healthy === isHealthy && lastMessage === (failure ?? "")) return;
    const isNews = unknown || healthy !== isHealthy; // another reason for the same state is no event
    this.#health = Object.freeze({
      ...{ unknown: false, healthy: isHealthy, lastMessage: failure ?? "" },
      lastChangeMs: Date.now(),
    });
    this.#snapshot = undefined;
    if (isNews) this.#enter(this.#state, isHealthy ? "Healthy" : `Not healthy: ${failure}`);
  }

  #enter(state: ServiceState, message: string): void {
    this.#state = state;
    this.#history.push(Object.freeze({ state, message, timeMs: Date.now() }));
    if (this.#history.length > HISTORY_LENGTH) this.#history.shift();
    this.#snapshot = undefined;
    this.#onChange(this);
  }
}

/** Pause before restart number `failures` of a row: none before the first, then doubling. Pure. */
export function restartPause(failures: number, backoff = { base: 250, limit: 5000 }): number {
  return failures === 0 ? 0 : Math.min(backoff.limit, backoff.base * 2 ** (failures - 1));
}

function unknownHealth(): ServiceHealth {
  return Object.freeze({ unknown: true, healthy: false, lastMessage: "", lastChangeMs: Date.now() });
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
