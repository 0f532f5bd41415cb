import { ControllerStatuses, controllerStatusSpec } from "./controller_statuses.ts";
import { NotFoundError } from "./errors.ts";
import { modify } from "./operations.ts";
import { newResource, withSpec } from "./resource.ts";
import type { Runner } from "./runner_host.ts";
import type { State } from "./state.ts";

/** Owner of all statuses. */
const OWNER = "cosi.Runtime";
/** A status is written at most once in this time. */
const PERIOD_MS = 100;
/** After a write that failed. */
const RETRY_MS = 500;

/** Writes the statuses of controllers: what changes within a period in one go, and nothing while nothing changes. */
export class StatusBoard {
  readonly #state: State;
  readonly #onError: (error: unknown) => void;
  /** Whose status is not written as it is now. */
  readonly #changed = new Set<Runner>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(state: State, onError: (error: unknown) => void) {
    this.#state = state;
    this.#onError = onError;
  }

  changed(runner: Runner): void {
    this.#changed.add(runner);
    this.#flushWithin(PERIOD_MS);
  }

  #flushWithin(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, delayMs);
  }

  #flush(): void {
    this.#writing = this.#writing.then(() => this.#write()).catch((error) => {
      this.#onError(error);
      this.#flushWithin(RETRY_MS);
    });
  }

  async #write(): Promise<void> {
    for (const runner of [...this.#changed]) {
      this.#changed.delete(runner); // from here on it may change again
      try {
        const status = newResource(ControllerStatuses, runner.name, controllerStatusSpec(runner.status()));
        await modify(this.#state, status.metadata, (current) => withSpec(current ?? status, status.spec), {
          owner: OWNER,
        });
      } catch (error) {
        this.#changed.add(runner);
        throw error;
      }
    }
  }

  /** Drops the status of a controller that is no more. */
  async remove(runner: Runner): Promise<void> {
    this.#changed.delete(runner);
    await this.#writing;
    this.#changed.delete(runner);
    const { namespace, type } = ControllerStatuses;
    try {
      await this.#state.destroy({ namespace, type, id: runner.name }, { owner: OWNER });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error; // it had not been written yet
    }
  }

  /** Writes what is left and ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }
}
