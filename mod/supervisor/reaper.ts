import { kill, type ProcessExit, reap, reapAny, spawnProcess, type SpawnRequest } from "../../kernel/process.ts";
import { onSignals } from "../../kernel/signal.ts";
import { Notifier } from "./notifier.ts";

/** A process that was started, before and after its end. */
export interface Child {
  readonly pid: number;
  /** Resolves once it has ended and is reaped; never rejects. */
  readonly exited: Promise<ProcessExit>;
}

/**
 * The one place that starts processes through posix_spawn and calls waitid(2). SIGCHLD wakes it; what it finds dead is
 * either a child, whose promise resolves, or an orphan that became ours, which goes in silence.
 */
export class Reaper implements Disposable {
  readonly #children = new Map<number, (exit: ProcessExit) => void>();
  readonly #takesOrphans: boolean;
  readonly #listener: Disposable;
  readonly #reaped = new Notifier();
  #orphans = 0;

  /**
   * @param options.orphans reap everything, as PID 1 or a subreaper has to. Without it, only own children, so that
   * `Deno.Command` may be used beside it.
   */
  constructor(options: { orphans: boolean }) {
    this.#takesOrphans = options.orphans;
    this.#listener = onSignals(["SIGCHLD"], () => this.reap());
    this.reap(); // what ended before the handler was there
  }

  /** Orphans reaped so far. */
  get orphansReaped(): number {
    return this.#orphans;
  }

  /** Children that have not ended. */
  get running(): number {
    return this.#children.size;
  }

  /** Starts a program. @throws {SyscallError} ENOENT, EACCES, ENOEXEC */
  spawn(request: SpawnRequest): Child {
    const pid = spawnProcess(request);
    const { promise, resolve } = Promise.withResolvers<ProcessExit>();
    this.#children.set(pid, resolve); // in the same turn as the spawn, so no end can be missed
    return { pid, exited: promise };
  }

  /** Whether this child has not been reaped, that is, whether its pid may be signalled. */
  isRunning(pid: number): boolean {
    return this.#children.has(pid);
  }

  /** Reaps all that have ended by now. */
  reap(): void {
    if (!this.#takesOrphans) {
      for (const pid of [...this.#children.keys()]) this.#settle(reap(pid));
      return;
    }
    while (this.#settle(reapAny()));
  }

  #settle(exit: ProcessExit | undefined): boolean {
    if (exit === undefined) return false;
    const resolve = this.#children.get(exit.pid);
    this.#children.delete(exit.pid);
    if (resolve === undefined) this.#orphans++;
    else resolve(exit);
    this.#reaped.notify();
    return true;
  }

  /**
   * SIGKILL to everything that runs, this process aside, until nothing is left or the signal aborts; only as PID 1,
   * where everything is this namespace or machine.
   *
   * @throws {RangeError} if this is not PID 1
   */
  async killEverything(signal: AbortSignal): Promise<void> {
    if (Deno.pid !== 1) throw new RangeError(`Cannot kill everything: process ${Deno.pid} is not PID 1`);
    try {
      kill(-1, "SIGKILL");
    } catch (error) {
      if (!isNoProcess(error)) throw error;
    }
    const hasChildren = () => Deno.readTextFileSync("/proc/1/task/1/children") !== "";
    while (hasChildren() && !signal.aborted) await this.#reaped.next(signal);
  }

  [Symbol.dispose](): void {
    this.#listener[Symbol.dispose]();
  }
}

/** Whether a signal found nobody. */
export function isNoProcess(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ESRCH";
}
