import { SyscallError } from "../../kernel/ffi.ts";
import { reboot, REBOOT_COMMANDS, syncAll } from "../../kernel/machine.ts";
import { MNT_DETACH, mount, MS_RDONLY, MS_REMOUNT, readMounts, unmount } from "../../kernel/mount.ts";
import type { EventBus, Reaper, Supervisor } from "../supervisor/mod.ts";
import type { BootMode } from "./mount_plan.ts";
import { type Phase, type Sequence, SequenceCanceledError, SequenceLockedError, type Sequencer } from "./sequence.ts";

/** How the machine goes down. */
export type DownKind = "shutdown" | "reboot";

/** Who wants it, and how badly. */
export interface DownOptions {
  /** Id of the call that asked for it. */
  readonly actorId?: string;
  /** Kills the services at once, where they would be stopped otherwise. */
  readonly force?: boolean;
}

/** What going down takes apart. */
export interface DownParts {
  readonly mode: BootMode;
  readonly supervisor: Supervisor;
  readonly reaper: Reaper;
  readonly events: EventBus;
  readonly sequencer: Sequencer;
  readonly log: (text: string) => void;
}

/** Services get that long when the whole machine goes down; power has to be off within 10 s. */
const SERVICE_GRACE_MS = 5000;
const SERVICES_DEADLINE_MS = 8000;
/** A slow disk may have much to write yet. */
const SYNC_DEADLINE_MS = 30_000;
/** File systems of the kernel, which lose nothing. */
const VIRTUAL_TYPES = ["proc", "sysfs", "devtmpfs", "devpts", "mqueue", "cgroup2", "cgroup", "tmpfs", "rootfs", "bpf"];

/** Phases before the end of a machine or container, which go on whatever fails. Pure but for what the tasks do. */
export function downPhases(parts: DownParts, { force = false }: DownOptions = {}): Phase[] {
  const { supervisor, reaper, mode } = parts;
  const graceMs = force ? 0 : SERVICE_GRACE_MS;
  const task = (name: string, run: (signal: AbortSignal) => Promise<void> | void, deadlineMs = 2000): Phase => ({
    name,
    tasks: [{ name, deadlineMs, mayFail: true, run }],
  });
  // clients wait for a task of this name
  const stopServices = task("stopAllServices", async () => {
    if (!(await supervisor.close(graceMs, { leaveLast: true }))) parts.log("Some services did not stop");
  }, SERVICES_DEADLINE_MS);
  const stopLastServices = task("stopLastServices", async () => void await supervisor.close(SERVICE_GRACE_MS));
  if (mode === "node") return [stopServices, stopLastServices];
  return [
    stopServices,
    task("stopEverything", (signal) => reaper.killEverything(signal)),
    ...(mode === "machine" ? diskPhases(parts.log) : []),
    stopLastServices, // whoever watches sees the machine go down
  ];
}

/** What the disks are told at the end. */
interface Disks {
  /** All that was written gets there. */
  sync(): Promise<void>;
  unmount(): void;
}

/** A disk that does not answer must not keep the machine up: nothing that waits for it without an end is tried then. */
export function diskPhases(
  log: (text: string) => void,
  { sync, unmount }: Disks = { sync: syncAll, unmount: unmountDisks },
  deadlineMs = SYNC_DEADLINE_MS,
): Phase[] {
  let isSynced = false;
  const phase = (name: string, run: () => Promise<void> | void): Phase => ({
    name,
    tasks: [{ name, deadlineMs, mayFail: true, run }],
  });
  return [
    phase("sync", async () => {
      await sync();
      isSynced = true;
    }),
    phase("unmount", () => isSynced ? unmount() : log("A disk does not answer, it stays mounted")),
  ];
}

/** Detaches what holds data, newest first; what is in use becomes read-only, which is as good. */
function unmountDisks(): void {
  for (const { target, type } of readMounts().reverse()) {
    if (VIRTUAL_TYPES.includes(type) || target === "/") continue;
    try {
      unmount(target);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      makeReadOnly(target);
    }
  }
}

function makeReadOnly(target: string): void {
  try {
    mount({ source: "", target, flags: MS_REMOUNT | MS_RDONLY });
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    unmount(target, MNT_DETACH);
  }
}

/**
 * Takes the machine down: services in reverse order, then everything else, then the power. Comes back only by
 * throwing.
 *
 * @throws {SequenceLockedError} if the machine is busy with something that must not be cut short
 * @throws {SequenceCanceledError} if another way down took over, which ends the machine when it is through
 */
export async function goDown(kind: DownKind, parts: DownParts, options: DownOptions = {}): Promise<never> {
  const { actorId } = options;
  const sequence: Sequence = { name: kind, phases: downPhases(parts, options) };
  try {
    await parts.sequencer.run(sequence, actorId);
  } catch (error) {
    if (error instanceof SequenceLockedError || error instanceof SequenceCanceledError) throw error;
    if (!(error instanceof Error)) throw error;
    parts.log(`${error.message}; going down all the same`);
  }
  const command = kind === "reboot" ? "restart" : "powerOff";
  parts.events.publish({ kind: "restart", command: REBOOT_COMMANDS[command] }, actorId);
  parts.log(kind === "reboot" ? "Restarting" : "Power off");
  if (parts.mode !== "node") endAsFirstProcess(command, parts.log);
  Deno.exit(0);
}

/** In a PID namespace, reboot(2) ends it, and tells whoever started it whether to start it again. */
function endAsFirstProcess(command: keyof typeof REBOOT_COMMANDS, log: (text: string) => void): void {
  try {
    reboot(command);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    log(`${error.message}; ending the process instead`); // no CAP_SYS_BOOT; a machine's kernel panics and restarts
  }
}
