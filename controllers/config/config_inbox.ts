import type { WakeSource } from "../../mod/cosi/mod.ts";

/** How a config takes effect: at once, at the next boot, or at once and only until it is confirmed. */
export type ConfigMode = "now" | "staged" | "try";

/** A config that somebody wants the machine to have; it is decoded and valid. */
export interface ConfigRequest {
  readonly text: string;
  readonly mode: ConfigMode;
  /** With `try`: after this time the config on disk is back. */
  readonly tryTimeoutMs: number;
}

/** A request with the two ends of the promise its sender waits for. */
export interface PendingRequest extends ConfigRequest {
  done(): void;
  failed(cause: unknown): void;
}

/** Where the API leaves configs for the controller that owns them. One at a time, in order. */
export class ConfigInbox implements WakeSource {
  #pending: PendingRequest[] = [];
  readonly #wakes = new Set<() => void>();

  /** Answers once the config is on disk (unless it is a trial) and in the state. @throws what kept it from there. */
  submit(request: ConfigRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ ...request, done: resolve, failed: reject });
    for (const wake of this.#wakes) wake();
    return promise;
  }

  /** What waits; the taker answers each. */
  take(): readonly PendingRequest[] {
    return this.#pending.splice(0);
  }

  subscribe(wake: () => void): Disposable {
    this.#wakes.add(wake);
    return { [Symbol.dispose]: () => void this.#wakes.delete(wake) };
  }
}
