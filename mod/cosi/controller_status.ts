/** What a controller does now. */
export type ControllerState = "starting" | "idle" | "running" | "backoff" | "stopped";

/** How a controller fares. Times are milliseconds since the epoch. */
export interface ControllerStatus {
  readonly name: string;
  readonly state: ControllerState;
  /** Text of the last failure; stays after it was overcome. */
  readonly lastError: string | undefined;
  readonly lastErrorAt: number | undefined;
  /** Failures since the last success. */
  readonly failures: number;
  /** Runs that failed, ever. */
  readonly restarts: number;
  /** When the next try comes, in state `backoff`. */
  readonly backoffUntil: number | undefined;
  readonly runs: number;
  readonly runMs: number;
  readonly lastRunMs: number;
  /** Wake-ups that led to a run; those that came while one was pending do not count. */
  readonly wakeUps: number;
  readonly reads: number;
  readonly writes: number;
}

/** The same, while it is being counted. */
export type ControllerCounters = { -readonly [K in keyof ControllerStatus]: ControllerStatus[K] };

export function newCounters(name: string): ControllerCounters {
  return {
    name,
    state: "starting",
    lastError: undefined,
    lastErrorAt: undefined,
    failures: 0,
    restarts: 0,
    backoffUntil: undefined,
    runs: 0,
    runMs: 0,
    lastRunMs: 0,
    wakeUps: 0,
    reads: 0,
    writes: 0,
  };
}
