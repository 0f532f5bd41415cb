import { type Fd, O_APPEND, O_CREAT, O_RDONLY, O_WRONLY, openFd, readFd, writeAllFd } from "../../kernel/fd.ts";
import { SyscallError } from "../../kernel/ffi.ts";
import { changeFolder, setHostname } from "../../kernel/machine.ts";
import {
  MNT_DETACH,
  mount,
  MS_BIND,
  MS_PRIVATE,
  MS_RDONLY,
  MS_REC,
  MS_REMOUNT,
  pivotRoot,
  unmount,
} from "../../kernel/mount.ts";
import { openNamespace, setNamespace, unshare } from "../../kernel/namespace.ts";
import { kill, type ProcessExit, setParentDeathSignal } from "../../kernel/process.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import type { RtnlLink } from "../../kernel/rtnetlink/link.ts";
import { onSignals, SIGNALS } from "../../kernel/signal.ts";
import { type Child, Reaper } from "../supervisor/mod.ts";
import { NodeCgroup } from "./exec_cgroup.ts";
import { type ExecSpec, type ExecStatus, OBEYED_SIGNALS, WRAPPER_NAME } from "./exec_spec.ts";

const NEWLINE = 0x0a;
const encoder = new TextEncoder();

/**
 * The role `exec`: makes namespaces and a root, runs the program in them as PID 1 and waits for its end. When it calls
 * reboot(2) to restart it is started again, in a fresh network namespace with the same cables. SIGTERM and SIGINT are
 * handed on to it.
 *
 * Everything happens on the main thread, which alone is in the new namespaces; nothing of it may be asynchronous but
 * the wait for the end.
 *
 * @param argument an {@link ExecSpec} as JSON, or the path of a file that holds one
 * @returns exit code for the wrapper: the program's, 0 if it powered off
 * @throws {SyscallError} EPERM if not root
 */
export async function runExec(argument: string): Promise<number> {
  const spec = JSON.parse(argument.startsWith("{") ? argument : Deno.readTextFileSync(argument)) as ExecSpec;
  if (spec.dieWithParent === true) setParentDeathSignal("SIGKILL");
  using undo = new DisposableStack();
  const reaper = undo.use(new Reaper({ orphans: false }));
  // Listened to from here on, lest one that comes early ends the wrapper and leaves the program; nobody is called back
  // before the program runs.
  let child: Child | undefined;
  undo.use(onSignals(["SIGTERM", "SIGINT"], () => {
    if (child !== undefined && reaper.isRunning(child.pid)) kill(child.pid, "SIGTERM");
  }));
  const output = undo.use(openFd(spec.console, O_WRONLY | O_CREAT | O_APPEND, 0o640));
  const input = undo.use(openFd("/dev/null", O_RDONLY));
  const group = spec.cgroup === undefined ? undefined : new NodeCgroup(spec.cgroup);
  group?.enter();
  undo.defer(() => group?.leave());

  unshare("mnt", "net", "uts", "ipc", "cgroup");
  mount({ source: "", target: "/", flags: MS_REC | MS_PRIVATE });
  if (spec.hostname !== undefined) setHostname(spec.hostname);
  putTogether(spec);
  const namespaces = {
    mnt: undo.use(openNamespace("mnt")),
    pid: undo.use(openNamespace("pid")),
  };
  tell(spec, { stage: "namespaces", pid: Deno.pid });
  if (spec.goFd !== undefined && !waitForLine(spec.goFd)) return 0;

  let cables = pluggedIn();
  for (;;) {
    child = start(spec, reaper, namespaces, [input.number, output.number, output.number]);
    tell(spec, { stage: "started", pid: child.pid });
    const exit = await watch(child);
    if (exit.signal !== SIGNALS.SIGHUP) return end(spec, exit);
    tell(spec, { stage: "restarting" }); // SIGHUP is how reboot(2) in a PID namespace shows
    cables = renewNetwork(cables);
  }
}

/** What a link of somebody else had when it was plugged in. */
type Cable = Pick<RtnlLink, "index" | "name" | "mtu" | "hardwareAddr">;

function pluggedIn(): Cable[] {
  using rtnl = new RtnlConn();
  return rtnl.links().filter(({ name }) => name !== "lo");
}

/** A machine's network knows nothing of its last boot: a fresh namespace, with only the cables of the old one. */
function renewNetwork(cables: readonly Cable[]): Cable[] {
  using rtnl = new RtnlConn(); // stays in the old one, which ends with it
  unshare("net");
  using fresh = openNamespace("net");
  const left = new Set(rtnl.links().map(({ index }) => index));
  for (const { index, name, mtu, hardwareAddr } of cables) {
    if (left.has(index)) rtnl.setLink(index, { netnsFd: fresh.number, name, mtu, hardwareAddr, up: false });
  }
  return pluggedIn();
}

function end(spec: ExecSpec, exit: ProcessExit): number {
  const isPowerOff = exit.signal === SIGNALS.SIGINT;
  tell(spec, { stage: "ended", code: isPowerOff ? 0 : exit.code, signal: isPowerOff ? 0 : exit.signal });
  return isPowerOff ? 0 : exit.code;
}

/** Mounts the node's root at the target; seen in the wrapper's own mount namespace only. */
function putTogether({ root, target, overlay, binds = [] }: ExecSpec): void {
  if (overlay === undefined) bind(root, target, true);
  else {
    const data = `lowerdir=${escape(root)},upperdir=${escape(overlay.upper)},workdir=${escape(overlay.work)}`;
    mount({ source: "overlay", target, type: "overlay", data });
  }
  for (const one of binds) {
    const place = `${target}${one.target}`;
    if (overlay !== undefined) makeMountPoint(one.source, place);
    bind(one.source, place, one.readOnly === true);
  }
}

/** A bind mount becomes read-only only by a second call. */
function bind(source: string, target: string, isReadOnly: boolean): void {
  mount({ source, target, flags: MS_BIND | MS_REC });
  if (isReadOnly) mount({ source: "", target, flags: MS_BIND | MS_REMOUNT | MS_RDONLY });
}

function makeMountPoint(source: string, target: string): void {
  if (Deno.statSync(source).isDirectory) return Deno.mkdirSync(target, { recursive: true });
  Deno.mkdirSync(target.slice(0, target.lastIndexOf("/")), { recursive: true });
  Deno.openSync(target, { create: true, append: true }).close();
}

/** Commas part the options of an overlay, colons its lower folders. */
function escape(path: string): string {
  return path.replace(/[\\,:]/g, "\\$&");
}

/**
 * Starts the program in mount and PID namespaces of its own, then goes back to the wrapper's: while new children are
 * due for another PID namespace, this thread can start no threads, and V8 may want one at any time.
 */
function start(spec: ExecSpec, reaper: Reaper, home: { mnt: Fd; pid: Fd }, fds: readonly number[]): Child {
  const [path = ""] = spec.argv;
  unshare("mnt");
  try {
    changeFolder(spec.target);
    pivotRoot(".", ".");
    unmount(".", MNT_DETACH); // the host's root, which was put on top
    changeFolder("/");
    unshare("pid");
    try {
      const env = { ...spec.env, container: WRAPPER_NAME };
      const blocked = spec.holdSignals === true ? OBEYED_SIGNALS : [];
      return reaper.spawn({ path, argv: spec.argv, env, fds, newSession: true, blocked });
    } finally {
      setNamespace(home.pid.number, "pid");
    }
  } finally {
    setNamespace(home.mnt.number, "mnt");
  }
}

async function watch(child: Child): Promise<ProcessExit> {
  const alive = setInterval(() => {}, 1 << 30); // a promise alone does not keep the program running
  try {
    return await child.exited;
  } finally {
    clearInterval(alive);
  }
}

/** Who has started the wrapper may be gone, as after a detached start: then nobody needs to know. */
function tell({ statusFd }: ExecSpec, status: ExecStatus): void {
  if (statusFd === undefined) return;
  try {
    writeAllFd(statusFd, encoder.encode(`${JSON.stringify(status)}\n`));
  } catch (error) {
    if (!(error instanceof SyscallError) || error.code !== "EPIPE") throw error;
  }
}

/** Blocks; whether a whole line came before the end. */
function waitForLine(fd: number): boolean {
  const byte = new Uint8Array(1);
  while ((readFd(fd, byte) ?? 0) > 0) if (byte[0] === NEWLINE) return true;
  return false;
}
