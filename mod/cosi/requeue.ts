/**
 * Thrown by a queue controller to be run again for the same object after a time (clauses 3.14, 3.15). Without a cause
 * the run counts as good; with one it failed, and the time replaces the backoff.
 */
export class RequeueError extends Error {
  override readonly name = "RequeueError";
  /** Milliseconds until the next run. */
  readonly afterMs: number;

  constructor(afterMs: number, options: { readonly cause?: unknown } = {}) {
    const { cause } = options;
    super(cause instanceof Error ? cause.message : cause === undefined ? "Cannot finish yet" : String(cause), options);
    this.afterMs = afterMs;
  }
}

/**
 * Thrown where nothing can be done until something changes: the controller waits without being tried again, and what
 * there is stays (clauses 3.14, 4.5, 4.6). One class for all generic controllers (4.10 has three tags).
 */
export class SkipReconcile extends Error {
  override readonly name = "SkipReconcile";
}
