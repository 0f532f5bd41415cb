import type { BackoffOptions } from "./backoff.ts";
import type { ControllerCounters, ControllerStatus } from "./controller_status.ts";
import type { Input } from "./inputs.ts";
import type { CachedFeed, KindFeed } from "./kind_feed.ts";
import type { Kind } from "./metadata.ts";
import type { RunTurn } from "./run_turn.ts";
import type { State } from "./state.ts";
import type { CauseLog } from "./write_cause.ts";

/** How severe a log line is. */
export type LogLevel = "info" | "warn" | "error";
/** Receives one line about a controller; the runtime's own lines come with an empty name. */
export type Log = (controller: string, level: LogLevel, message: string) => void;

/** What a runner needs of its runtime. */
export interface RunnerHost {
  readonly log: Log;
  readonly backoff: Partial<BackoffOptions>;
  readonly turn: RunTurn;
  readonly causes: CauseLog;
  /** The state as this runner may use it until its signal is aborted. */
  stateFor(signal: AbortSignal): State;
  feed(kind: Kind): KindFeed;
  /** The feed if it keeps a cache. */
  cachedFeed(kind: Kind): CachedFeed | undefined;
  /** @throws {RegistrationError} */
  replaceInputs(controller: string, inputs: readonly Input[]): void;
  /** Something about the runner's status has changed. */
  changed(runner: Runner): void;
}

/** Runs one controller of either style. */
export interface Runner {
  readonly name: string;
  readonly counters: ControllerCounters;
  status(): ControllerStatus;
  /** Runs until it is stopped and the work under way has ended. */
  run(): Promise<void>;
  /** Ends the run. */
  stop(reason: unknown): void;
  /** What is left to do after everybody's run has ended. */
  shutDown(): Promise<void>;
}
