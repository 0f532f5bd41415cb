/** Delays between tries (clause 3.6). */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

const FACTOR = 1.5;
const SPREAD = 0.5;

/** Growing delays, each off by up to half in either direction, so that what failed together does not retry together. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nextMs: number;

  constructor(options: Partial<BackoffOptions> = {}) {
    this.#options = { firstMs: 500, maxMs: 60_000, ...options };
    this.#nextMs = this.#options.firstMs;
  }

  /** The delay before the next try, at most `maxMs`. */
  next(): number {
    const { maxMs } = this.#options;
    const delay = this.#nextMs * (1 - SPREAD + Math.random() * 2 * SPREAD);
    this.#nextMs = Math.min(this.#nextMs * FACTOR, maxMs);
    return Math.min(delay, maxMs);
  }

  /** After a success: the next delay is the first again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs;
  }
}

/** Resolves after the delay, or as soon as `signal` is aborted. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener("abort", end, { once: true });
  });
}
