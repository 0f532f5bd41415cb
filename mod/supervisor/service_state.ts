/** Where a service is in its life; the words that the machine API shows. */
export type ServiceState =
  | "Initialized"
  | "Starting"
  | "Waiting"
  | "Preparing"
  | "Running"
  | "Stopping"
  | "Finished"
  | "Failed"
  | "Skipped";

/** What the health check says. */
export interface ServiceHealth {
  /** No check has given an answer yet, or there is none. */
  readonly unknown: boolean;
  readonly healthy: boolean;
  /** Why it is not healthy; empty if it is. */
  readonly lastMessage: string;
  /** Milliseconds since 1970 of the last change. */
  readonly lastChangeMs: number;
}

/** One step in the life of a service. */
export interface ServiceHistoryEntry {
  readonly state: ServiceState;
  readonly message: string;
  readonly timeMs: number;
}

/** A service as it is now; frozen, and the same object until something changes. */
export interface ServiceSnapshot {
  readonly id: string;
  readonly state: ServiceState;
  readonly health: ServiceHealth;
  /** The last 64 steps, oldest first. */
  readonly history: readonly ServiceHistoryEntry[];
  /** How often it was started again after it ended by itself. */
  readonly restarts: number;
  /** 0 if there is no process. */
  readonly pid: number;
}
