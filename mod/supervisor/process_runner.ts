import { type Fd, O_RDONLY, openFd, pipe, readFd, setNonblocking } from "../../kernel/fd.ts";
import { kill, type ProcessExit } from "../../kernel/process.ts";
import { EPOLLIN, type Reactor } from "../../kernel/reactor.ts";
import type { SIGNALS } from "../../kernel/signal.ts";
import type { CgroupLimits, Cgroups } from "./cgroup.ts";
import type { LogBuffer } from "./log_buffer.ts";
import { type Child, isNoProcess, type Reaper } from "./reaper.ts";
import type { Runner } from "./runner.ts";

/** A program that writes without end is read on at the next wake-up, after everybody else. */
const READS_A_WAKE = 8;

/** A program to be supervised. */
export interface ProcessSpec {
  /** Whole path of the executable; also `argv[0]`. */
  path: string;
  args: readonly string[];
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** -1000 (the OOM killer never takes it) to 1000. */
  oomScoreAdjust?: number;
  /** Control group below the root, e.g. `system/runtime`. */
  cgroup?: string;
  limits?: CgroupLimits;
  /** The polite signal; SIGTERM if left out. */
  stopSignal?: keyof typeof SIGNALS;
}

/** A supervised program ended by itself and not well. */
export class ProcessExitError extends Error {
  override readonly name = "ProcessExitError";
  readonly path: string;
  readonly code: number;
  /** 0 if it left by itself. */
  readonly signal: number;

  constructor(path: string, { code, signal }: ProcessExit) {
    super(`Cannot keep "${path}" running: it ended ${signal === 0 ? `with code ${code}` : `by signal ${signal}`}`);
    this.path = path;
    this.code = code;
    this.signal = signal;
  }
}

/** Something that could not be set for a process, which runs without it. */
export type ProcessWarning = (id: string, text: string) => void;

/**
 * Starts and stops programs. What a child needs set is set from here right after the spawn (control group, OOM score)
 * or inherited (limits, capabilities), so no wrapper program runs in between.
 */
export class Processes {
  readonly #reactor: Reactor;
  readonly #reaper: Reaper;
  readonly #cgroups: Cgroups | undefined;
  readonly #warn: ProcessWarning;
  readonly #warned = new Set<string>();
  readonly #chunk = new Uint8Array(64 << 10); // one for all pipes: LogBuffer copies

  constructor(reactor: Reactor, reaper: Reaper, cgroups: Cgroups | undefined, warn: ProcessWarning) {
    this.#reactor = reactor;
    this.#reaper = reaper;
    this.#cgroups = cgroups;
    this.#warn = warn;
  }

  /** A runner for a program; the spec is asked for at every start. */
  runner(spec: () => ProcessSpec | Promise<ProcessSpec>): Runner {
    return async (context) => {
      const wanted = await spec();
      if (context.stop.aborted) return;
      const { child, collect } = this.#start(context.id, wanted, context.log);
      context.started(child.pid);
      const stop = () => this.#stop(child, wanted, context.graceMs());
      context.stop.addEventListener("abort", stop, { once: true });
      const exit = await child.exited;
      context.stop.removeEventListener("abort", stop);
      this.#signalGroup(child.pid, "SIGKILL"); // what it left behind in its process group
      collect(); // its last words, before anybody hears that it has ended
      if (!context.stop.aborted && exit.code !== 0) throw new ProcessExitError(wanted.path, exit);
    };
  }

  /** @throws {SyscallError} ENOENT, EACCES, ENOEXEC */
  #start(id: string, spec: ProcessSpec, log: LogBuffer): { child: Child; collect(): void } {
    using input = openFd("/dev/null", O_RDONLY);
    const output = pipe();
    using writer = output.writer;
    const collect = this.#collect(output.reader, log);
    const child = this.#reaper.spawn({
      path: spec.path,
      argv: [spec.path, ...spec.args],
      env: spec.env,
      fds: [input.number, writer.number, writer.number],
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      newSession: true,
    });
    this.#adjust(id, child.pid, spec);
    return { child, collect };
  }

  /**
   * Reads a pipe into the log until its last writer is gone, which may be a grandchild that outlives the child.
   *
   * @returns reads what is there now
   */
  #collect(reader: Fd, log: LogBuffer): () => void {
    setNonblocking(reader.number); // the writing end has flags of its own and stays as programs expect it
    const read = () => {
      for (let round = 0; round < READS_A_WAKE && reader.number >= 0; round++) {
        const count = readFd(reader.number, this.#chunk);
        if (count === undefined) return;
        if (count > 0) log.write(this.#chunk.subarray(0, count));
        else {
          watch[Symbol.dispose]();
          reader[Symbol.dispose]();
        }
      }
    };
    const watch = this.#reactor.add(reader.number, EPOLLIN, read);
    return read;
  }

  /** Without these the program runs all the same, so a failure is told, once. */
  #adjust(id: string, pid: number, { cgroup, limits, oomScoreAdjust }: ProcessSpec): void {
    const attempt = (what: string, step: () => void) => {
      try {
        step();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const text = `Cannot set ${what}: ${error.name}`;
        if (!this.#reaper.isRunning(pid) || this.#warned.has(`${id} ${text}`)) return;
        this.#warned.add(`${id} ${text}`);
        this.#warn(id, text);
      }
    };
    if (cgroup !== undefined) attempt(`control group "${cgroup}"`, () => this.#cgroups?.place(cgroup, pid, limits));
    if (oomScoreAdjust === undefined) return;
    attempt(`OOM score ${oomScoreAdjust}`, () => {
      Deno.writeTextFileSync(`/proc/${pid}/oom_score_adj`, String(oomScoreAdjust), { create: false });
    });
  }

  #stop(child: Child, spec: ProcessSpec, graceMs: number): void {
    if (this.#reaper.isRunning(child.pid)) this.#signal(child.pid, spec.stopSignal ?? "SIGTERM");
    const timer = setTimeout(() => {
      this.#signalGroup(child.pid, "SIGKILL");
      if (spec.cgroup !== undefined) this.#cgroups?.kill(spec.cgroup);
    }, graceMs);
    child.exited.then(() => clearTimeout(timer));
  }

  #signalGroup(pid: number, signal: "SIGKILL"): void {
    this.#signal(-pid, signal);
  }

  #signal(pid: number, signal: keyof typeof SIGNALS): void {
    try {
      kill(pid, signal);
    } catch (error) {
      if (!isNoProcess(error)) throw error;
    }
  }
}
