import { delay } from "./notifier.ts";

/** How a running service is asked whether it works. */
export interface HealthCheck {
  /** Comes back if the service works, throws with the reason if not. Has to give up when the signal aborts. */
  check(signal: AbortSignal): Promise<void>;
  /** How long after its start a service may fail the check before it counts as unhealthy; 1000. */
  initialDelayMs?: number;
  /** Time between checks; 5000. */
  periodMs?: number;
  /** Time for one check; 500. */
  timeoutMs?: number;
}

/**
 * Checks until the signal aborts and tells every result: undefined for healthy, else the reason. The first check is
 * made at once; until one succeeds, the pause is half the time that has passed (10 ms at least, a period at most), so
 * that a service is known to be up within half again of the time it took.
 */
export async function watchHealth(
  health: HealthCheck,
  report: (failure: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const { initialDelayMs = 1000, periodMs = 5000, timeoutMs = 500 } = health;
  const started = performance.now();
  let wasHealthy = false;
  while (!signal.aborted) {
    const failure = await checkOnce(health, timeoutMs, signal);
    if (signal.aborted) return;
    const passed = performance.now() - started;
    if (failure === undefined) wasHealthy = true;
    if (wasHealthy || passed >= initialDelayMs) report(failure);
    await delay(wasHealthy ? periodMs : Math.min(periodMs, Math.max(10, passed / 2)), signal);
  }
}

/** A check that does not even notice the abort is left behind. */
async function checkOnce(health: HealthCheck, timeoutMs: number, signal: AbortSignal): Promise<string | undefined> {
  const limit = new AbortController();
  const end = () => limit.abort();
  signal.addEventListener("abort", end);
  const timer = setTimeout(end, timeoutMs);
  const late = Promise.withResolvers<string>();
  limit.signal.addEventListener("abort", () => late.resolve(`No answer within ${timeoutMs} ms`));
  try {
    const check = health.check(limit.signal).then(() => undefined, (error) => text(error));
    return await Promise.race([check, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    late.resolve("");
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
