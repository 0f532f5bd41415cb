import { type EventBus, newXid, Notifier, type SequenceFailure, withinDeadline } from "../supervisor/mod.ts";

/** What the machine may be busy with; the words of the machine API. */
export type SequenceName = "initialize" | "install" | "boot" | "shutdown" | "reboot" | "reset" | "upgrade";

/** One step. */
export interface Task {
  readonly name: string;
  /** Has to end soon after the signal aborts. */
  run(signal: AbortSignal): Promise<void> | void;
  /** 60,000 if left out. */
  readonly deadlineMs?: number;
  /** A failure is told, and the sequence goes on: on the way down nothing may keep the machine up. */
  readonly mayFail?: boolean;
}

/** Steps that run at the same time. */
export interface Phase {
  readonly name: string;
  readonly tasks: readonly Task[];
}

/** Phases that run one after the other. */
export interface Sequence {
  readonly name: SequenceName;
  readonly phases: readonly Phase[];
}

/** Another sequence runs that this one may not take over. */
export class SequenceLockedError extends Error {
  override readonly name = "SequenceLockedError";
  readonly sequence: SequenceName;
  readonly running: SequenceName;
  constructor(sequence: SequenceName, running: SequenceName) {
    super(`Cannot start sequence "${sequence}": sequence "${running}" is running`);
    this.sequence = sequence;
    this.running = running;
  }
}

/** A sequence ended early because another one took over. */
export class SequenceCanceledError extends Error {
  override readonly name = "SequenceCanceledError";
}

/** A step failed or took too long. */
export class TaskFailedError extends Error {
  override readonly name = "TaskFailedError";
  readonly task: string;
  constructor(task: string, state: string, options?: ErrorOptions) {
    super(`Cannot finish task "${task}": ${state}`, options);
    this.task = task;
  }
}

/** Who may cut short whom. Going down always may, unless the machine is going down already in the same way. */
const TAKEN_OVER_BY: Readonly<Record<SequenceName, readonly SequenceName[]>> = {
  initialize: ["shutdown", "reboot"],
  install: ["shutdown", "reboot"],
  boot: ["shutdown", "reboot", "reset", "upgrade"],
  shutdown: [],
  reboot: ["reboot"],
  reset: ["reboot"],
  upgrade: [],
};
/** How long a sequence that is taken over may take to let go. */
const TAKEOVER_MS = 60_000;

/** Whether `next` may cut `running` short. Pure. */
export function mayTakeOver(next: SequenceName, running: SequenceName): boolean {
  return TAKEN_OVER_BY[running].includes(next);
}

/** Runs one sequence at a time, and tells the event bus about every start and stop. */
export class Sequencer {
  readonly #events: EventBus;
  readonly #log: (text: string) => void;
  readonly #changes = new Notifier();
  #running: { name: SequenceName; cancel: AbortController; ended: Promise<void> } | undefined;

  constructor(events: EventBus, log: (text: string) => void) {
    this.#events = events;
    this.#log = log;
  }

  /** Wakes when another sequence runs, or none any more. */
  get changes(): Pick<Notifier, "subscribe" | "next"> {
    return this.#changes;
  }

  /** What runs now. */
  get running(): SequenceName | undefined {
    return this.#running?.name;
  }

  /**
   * Runs a sequence to its end.
   *
   * @param actorId of the call that asked for it; all its events carry it
   * @throws {SequenceLockedError} at once, {@link SequenceCanceledError}, {@link TaskFailedError}
   */
  async run(sequence: Sequence, actorId: string = newXid()): Promise<void> {
    const tell = (action: "noop" | "start" | "stop", error?: SequenceFailure) =>
      this.#events.publish(
        { kind: "sequence", sequence: sequence.name, action, ...(error === undefined ? {} : { error }) },
        actorId,
      );
    const before = this.#running;
    if (before !== undefined && !mayTakeOver(sequence.name, before.name)) {
      const error = new SequenceLockedError(sequence.name, before.name);
      tell("noop", { code: "locked", message: error.message });
      throw error;
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const own = { name: sequence.name, cancel: new AbortController(), ended };
    this.#running = own; // before the first wait, so that of two that take over only one wins
    this.#changes.notify();
    try {
      before?.cancel.abort();
      if (before !== undefined && !(await withinDeadline(before.ended, TAKEOVER_MS))) {
        this.#log(`Sequence "${before.name}" does not let go, going on without it`);
      }
      tell("start");
      for (const phase of sequence.phases) await this.#runPhase(phase, own.cancel.signal, actorId);
      tell("stop");
    } catch (error) {
      const code = error instanceof SequenceCanceledError ? "canceled" : "fatal";
      tell("stop", { code, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      if (this.#running === own) this.#running = undefined;
      this.#changes.notify();
      resolve();
    }
  }

  async #runPhase(phase: Phase, signal: AbortSignal, actorId: string): Promise<void> {
    throwIfCanceled(signal);
    this.#events.publish({ kind: "phase", phase: phase.name, action: "start" }, actorId);
    const results = await Promise.allSettled(phase.tasks.map((task) => this.#runTask(task, signal, actorId)));
    this.#events.publish({ kind: "phase", phase: phase.name, action: "stop" }, actorId);
    throwIfCanceled(signal);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #runTask(task: Task, signal: AbortSignal, actorId: string): Promise<void> {
    const { name, deadlineMs = 60_000, mayFail = false } = task;
    const late = new AbortController();
    const tell = (action: "start" | "stop") => this.#events.publish({ kind: "task", task: name, action }, actorId);
    tell("start");
    try {
      const work = (async () => await task.run(AbortSignal.any([signal, late.signal])))();
      if (!(await withinDeadline(work, deadlineMs))) throw new Error(`not done after ${deadlineMs} ms`);
    } catch (error) {
      const failure = new TaskFailedError(name, error instanceof Error ? error.message : String(error), {
        cause: error,
      });
      if (!mayFail) throw failure;
      this.#log(failure.message);
    } finally {
      late.abort();
      tell("stop");
    }
  }
}

function throwIfCanceled(signal: AbortSignal): void {
  if (signal.aborted) throw new SequenceCanceledError("Cannot finish the sequence: another one took over");
}
