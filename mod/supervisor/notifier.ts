/** Wakes everybody who waits, at every change. Costs nothing while nobody waits. */
export class Notifier {
  #waiting = new Set<() => void>();
  #subscribers = new Set<() => void>();

  /** Something changed. */
  notify(): void {
    for (const wake of [...this.#waiting, ...this.#subscribers]) wake();
  }

  /** Resolves at the next change or when the signal aborts. Look at what you wait for before and after. */
  next(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }

  /** Calls `wake` at every change until disposed; the shape of a controller's `wakeOn`. */
  subscribe(wake: () => void): Disposable {
    const own = () => wake();
    this.#subscribers.add(own);
    return { [Symbol.dispose]: () => this.#subscribers.delete(own) };
  }
}

/** Resolves once the signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/**
 * Waits for `work`, at most `ms`; whether it came to its end in time. What it throws goes through.
 * Work that is late goes on, but its failure is dropped.
 */
export async function withinDeadline(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, late.signal).then(() => false)]);
  } finally {
    late.abort();
    work.catch(() => {}); // the race has reported it, or nobody waits any more
  }
}
