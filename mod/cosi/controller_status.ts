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
  /** What only queue controllers have; zeros for others. */
  readonly queue: QueueStatus;
}

/** How the queue of a controller fares. */
export interface QueueStatus {
  /** Objects that wait, also for their next try. */
  readonly length: number;
  /** Runs that ended with `SkipReconcile`. */
  readonly skips: number;
  /** Runs that asked for another one without having failed. */
  readonly requeues: number;
  /** Calls of `mapInput`, and pointers that came out. */
  readonly mappedIn: number;
  readonly mappedOut: number;
  readonly mapMs: number;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** The same, while it is being counted. */
export type ControllerCounters = Writable<Omit<ControllerStatus, "queue">> & { readonly queue: Writable<QueueStatus> };

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
    queue: { length: 0, skips: 0, requeues: 0, mappedIn: 0, mappedOut: 0, mapMs: 0 },
  };
}

/** Notes a failure. */
export function countFailure(counters: ControllerCounters, error: unknown): void {
  counters.lastError = failureText(error);
  counters.lastErrorAt = Date.now();
  counters.failures++;
  counters.restarts++;
}

/** The message, and for a fault of the program where it happened. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isFault = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isFault ? error.stack ?? error.message : error.message;
}
