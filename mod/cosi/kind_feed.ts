import { Backoff, type BackoffOptions, pause } from "./backoff.ts";
import type { InputKind } from "./controller.ts";
import type { Kind } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { State, Watch, WatchEvent } from "./state.ts";

/** Who wants to be woken by a kind, and by what of it. */
export interface Dependent {
  readonly kind: InputKind;
  readonly id: string | undefined;
  /** Only objects of this owner. */
  readonly owner?: string;
  wake(): void;
}

/**
 * The one watch on a kind that all controllers share. When the watch breaks, it is opened again and everybody is woken,
 * so that nothing that happened in between stays unseen (clause 9.1).
 */
export class KindFeed {
  readonly kind: Kind;
  readonly #state: State;
  readonly #signal: AbortSignal;
  readonly #warn: (message: string) => void;
  readonly #backoff: Backoff;
  readonly #all = new Set<Dependent>();
  readonly #byId = new Map<string, Set<Dependent>>();
  readonly #selective = new Set<Dependent>();
  #watch: Watch | undefined;
  #opening: Promise<void> | undefined;
  #isScheduled = false;

  constructor(
    state: State,
    kind: Kind,
    signal: AbortSignal,
    warn: (message: string) => void,
    backoff: Partial<BackoffOptions>,
  ) {
    this.kind = kind;
    this.#state = state;
    this.#signal = signal;
    this.#warn = warn;
    this.#backoff = new Backoff(backoff);
  }

  add(dependent: Dependent): void {
    this.#setOf(dependent).add(dependent);
  }

  remove(dependent: Dependent): void {
    this.#setOf(dependent).delete(dependent);
  }

  #setOf({ kind, id }: Dependent): Set<Dependent> {
    if (kind === "destroyReady") return this.#selective;
    if (id === undefined) return this.#all;
    let set = this.#byId.get(id);
    if (set === undefined) this.#byId.set(id, set = new Set());
    return set;
  }

  /** Resolves once the watch is established, or its first try failed and is going to be repeated. Never rejects. */
  open(): Promise<void> {
    return this.#opening ??= this.#start();
  }

  async #start(): Promise<void> {
    try {
      const watch = await this.#state.watchKind(this.kind, {
        bootstrapBookmark: true,
        coalesce: true,
        wake: () => this.#schedule(),
      });
      if (this.#signal.aborted) watch[Symbol.dispose]();
      else this.#watch = watch;
      this.#backoff.reset();
      this.#schedule();
    } catch (error) {
      this.#broken(error);
    }
  }

  /** One look at the watch for all writes of this turn. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#dispatch(this.#watch?.take() ?? []);
    });
  }

  #dispatch(events: readonly WatchEvent[]): void {
    let changes = 0;
    for (const { type, resource, error } of events) {
      if (type === "errored") {
        this.#broken(error);
        continue;
      }
      if (type === "noop" || type === "bootstrapped") continue;
      changes++;
      if (this.#byId.size > 0) wakeAll(this.#byId.get(resource.metadata.id));
      for (const dependent of this.#selective) if (isReady(dependent, resource)) dependent.wake();
    }
    if (changes > 0) wakeAll(this.#all);
  }

  #broken(error: unknown): void {
    if (this.#signal.aborted) return;
    const delayMs = this.#backoff.next();
    const reason = error instanceof Error ? error.message : String(error);
    this.#warn(
      `watch of ${this.kind.type} in "${this.kind.namespace}" broke, resync in ${Math.round(delayMs)} ms: ${reason}`,
    );
    this.close();
    void this.#resync(delayMs);
  }

  async #resync(delayMs: number): Promise<void> {
    await pause(delayMs, this.#signal);
    if (this.#signal.aborted) return;
    await this.#start();
    if (this.#watch === undefined) return;
    wakeAll(this.#all);
    wakeAll(this.#selective);
    for (const set of this.#byId.values()) wakeAll(set);
  }

  close(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}

function wakeAll(dependents: Iterable<Dependent> | undefined): void {
  if (dependents !== undefined) { for (const dependent of dependents) dependent.wake(); }
}

/** An object whose end was asked for and that nobody holds. */
function isReady({ id, owner }: Dependent, { metadata }: Resource): boolean {
  return metadata.phase === "tearingDown" && metadata.finalizers.length === 0 &&
    (id === undefined || id === metadata.id) && (owner === undefined || owner === metadata.owner);
}
