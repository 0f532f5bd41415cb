import { ECHILD, EINTR } from "./errno.ts";
import { duplicateFd, Fd } from "./fd.ts";
import { check, cstring, CstringArray, lastErrno, lastError, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";
import { type SignalName, SIGNALS, signalSet } from "./signal.ts";
import { struct } from "./struct.ts";

const P_ALL = 0;
const P_PID = 1;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x01000000;
const CLD_EXITED = 1;
const SYS_pidfd_open = 434n;
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;

const PR_SET_PDEATHSIG = 1;
const PR_SET_NAME = 15;
const PR_SET_CHILD_SUBREAPER = 36;

/** `siginfo_t` as waitid(2) fills it, 64-bit. */
const siginfo = struct(128, { code: [8, "i32"], pid: [16, "i32"], status: [24, "i32"] });

/** How a process ended. */
export interface ProcessExit {
  pid: number;
  /** Exit code 0-255; 128 + signal, as shells say, if a signal ended it. */
  code: number;
  /** The signal that ended it, 0 if it left by itself. */
  signal: number;
}

/** A program to be started. */
export interface SpawnRequest {
  /** Whole path of the executable. */
  path: string;
  /** From `argv[0]` on. */
  argv: readonly string[];
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** The child's descriptors 0, 1, 2 … are copies of these; all others are close-on-exec. */
  fds: readonly number[];
  /** Working directory, by default the caller's. */
  cwd?: string;
  /** Makes the child the leader of its own session and process group, so that `kill(-pid, …)` reaches all of it. */
  newSession?: boolean;
  /** Signals that wait until the program lets them through; none by default. */
  blocked?: readonly SignalName[];
}

/**
 * Starts a program through posix_spawn(3): no fork of this heap, no handler of Deno involved, so whoever calls this
 * also reaps the pid. The child starts with all signals at their defaults, and those blocked that are asked for.
 *
 * @returns its pid
 * @throws {SyscallError} ENOENT, EACCES, ENOEXEC: the program or the working directory cannot be used
 */
export function spawnProcess(request: SpawnRequest): number {
  const { path, argv, env, fds, cwd, newSession = false, blocked = [] } = request;
  using undo = new DisposableStack();
  const raise = (errno: number) => {
    if (errno !== 0) throw new SyscallError("spawn", errno, `"${path}"`);
  };
  const actions = new Uint8Array(256); // posix_spawn_file_actions_t: 80 bytes, with room to spare
  raise(libc().posix_spawn_file_actions_init(actions));
  undo.defer(() => libc().posix_spawn_file_actions_destroy(actions));
  for (const [target, fd] of fds.entries()) {
    // a source among the targets would be overwritten before its turn
    const source = fd < fds.length && fd !== target ? undo.use(duplicateFd(fd, fds.length)).number : fd;
    raise(libc().posix_spawn_file_actions_adddup2(actions, source, target));
  }
  if (cwd !== undefined) raise(libc().posix_spawn_file_actions_addchdir_np(actions, cstring(cwd)));

  const attributes = new Uint8Array(512); // posix_spawnattr_t: 336 bytes
  raise(libc().posix_spawnattr_init(attributes));
  undo.defer(() => libc().posix_spawnattr_destroy(attributes));
  const session = newSession ? POSIX_SPAWN_SETSID : 0;
  raise(libc().posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session));
  raise(libc().posix_spawnattr_setsigdefault(attributes, new Uint8Array(128).fill(0xff)));
  raise(libc().posix_spawnattr_setsigmask(attributes, signalSet(blocked)));

  const pid = new Int32Array(1);
  const args = new CstringArray(argv);
  const variables = environment(env);
  raise(libc().posix_spawn(pid, cstring(path), actions, attributes, args.pointers, variables.pointers));
  return pid[0] ?? -1;
}

/**
 * execve(2): this process becomes that program; comes back only by throwing. SIGPIPE, which Deno ignores, is put back
 * to its default first. Other threads end, close-on-exec descriptors close.
 *
 * @throws {SyscallError} ENOENT, EACCES, ENOEXEC
 */
export function execute(path: string, argv: readonly string[], env: Readonly<Record<string, string>>): never {
  const args = new CstringArray(argv);
  const variables = environment(env);
  const program = cstring(path);
  libc().signal(SIGNALS.SIGPIPE, 0n);
  libc().execve(program, args.pointers, variables.pointers);
  throw lastError("execute", `"${path}"`);
}

function environment(env: Readonly<Record<string, string>>): CstringArray {
  return new CstringArray(Object.entries(env).map(([name, value]) => `${name}=${value}`));
}

/** A child that has ended and is not reaped yet; it stays so. Undefined if there is none. */
export function peekExited(): ProcessExit | undefined {
  return wait(P_ALL, 0, WNOHANG | WNOWAIT);
}

/** Reaps any one child that has ended, orphans that became ours included. Undefined if there is none. */
export function reapAny(): ProcessExit | undefined {
  return wait(P_ALL, 0, WNOHANG);
}

/** Reaps this child if it has ended; undefined if it is still running or no child of ours. */
export function reap(pid: number): ProcessExit | undefined {
  return wait(P_PID, pid, WNOHANG);
}

/** Waits for the end of a child, with the whole program standing still; for wrappers and tests. */
export function waitFor(pid: number): ProcessExit | undefined {
  return wait(P_PID, pid, 0);
}

function wait(idType: number, id: number, options: number): ProcessExit | undefined {
  const bytes = new Uint8Array(siginfo.size);
  while (libc().waitid(idType, id, bytes, WEXITED | options) < 0) {
    const errno = lastErrno();
    if (errno === ECHILD) return undefined;
    if (errno !== EINTR) throw new SyscallError("waitid", errno);
  }
  const { code, pid, status } = siginfo.decode(bytes);
  if (pid === 0) return undefined;
  return code === CLD_EXITED ? { pid, code: status, signal: 0 } : { pid, code: 128 + status, signal: status };
}

/** kill(2); a negative pid is a process group, signal 0 only asks. @throws {SyscallError} ESRCH, EPERM */
export function kill(pid: number, signal: keyof typeof SIGNALS | 0): void {
  check(libc().kill(pid, signal === 0 ? 0 : SIGNALS[signal]), "kill", `${pid} with ${signal}`);
}

/** A descriptor that becomes readable when the process ends; works for any process. @throws {SyscallError} ESRCH */
export function openPidfd(pid: number): Fd {
  return new Fd(check(Number(libc().syscall(SYS_pidfd_open, BigInt(pid), 0n)), "pidfd_open", String(pid)));
}

/** This process gets the signal when the thread that started it ends. @throws {SyscallError} */
export function setParentDeathSignal(signal: keyof typeof SIGNALS): void {
  check(libc().prctl(PR_SET_PDEATHSIG, BigInt(SIGNALS[signal]), 0n, 0n, 0n), "prctl", "PR_SET_PDEATHSIG");
}

/** Orphans below this process become its children, as if it were PID 1. @throws {SyscallError} */
export function becomeSubreaper(): void {
  check(libc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n), "prctl", "PR_SET_CHILD_SUBREAPER");
}

/** Name of the calling thread in ps and /proc/PID/comm; cut after 15 bytes. @throws {SyscallError} */
export function setProcessName(name: string): void {
  check(libc().prctl_text(PR_SET_NAME, cstring(name), 0n, 0n, 0n), "prctl", "PR_SET_NAME");
}
