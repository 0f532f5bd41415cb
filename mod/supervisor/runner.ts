import type { LogBuffer } from "./log_buffer.ts";
import { aborted } from "./notifier.ts";

/** What a runner gets from its service. */
export interface RunContext {
  readonly id: string;
  /** Where the service's output goes. */
  readonly log: LogBuffer;
  /** Aborts when the service has to stop. */
  readonly stop: AbortSignal;
  /** Milliseconds between the polite and the hard way to stop; known once `stop` has aborted. */
  graceMs(): number;
  /** To be called once, when the service runs; `pid` is 0 or left out for code of this process. */
  started(pid?: number): void;
}

/**
 * Runs a service once: comes back when it has ended as it should, throws when it failed. After `stop` aborts it has to
 * come back soon, whatever it takes.
 */
export type Runner = (context: RunContext) => Promise<void>;

/**
 * A service that is code of this process.
 *
 * @param start brings it up; what it gives is disposed when the service stops
 */
export function inProcess(start: (context: RunContext) => Promise<AsyncDisposable>): Runner {
  return async (context) => {
    await using _running = await start(context);
    context.started();
    await aborted(context.stop);
  };
}
