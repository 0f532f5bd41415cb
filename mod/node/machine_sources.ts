import { writeFileAtomic } from "../../kernel/file.ts";
import { SyscallError } from "../../kernel/ffi.ts";
import { setDomainname, setHostname } from "../../kernel/machine.ts";
import { mount, MS_BIND } from "../../kernel/mount.ts";
import type { BootMode, Sequencer } from "../boot/mod.ts";
import type { ServiceSnapshot, Supervisor } from "../supervisor/mod.ts";

/** The kernel's own idea of the node's name. */
export const kernelHostname = { setHostname, setDomainname };

/** A service in the three flags that its resource shows. */
interface ServiceFlags {
  readonly id: string;
  readonly running: boolean;
  readonly healthy: boolean;
  readonly unknown: boolean;
}

function flagsOf({ id, state, health }: ServiceSnapshot): ServiceFlags {
  return { id, running: state === "Running", healthy: health.healthy, unknown: health.unknown };
}

/** The supervised services as a controller reads them, with a wake-up at each change. */
export function serviceSource(supervisor: Supervisor): {
  services(): readonly ServiceFlags[];
  subscribe(wake: () => void): Disposable;
} {
  return {
    services: () => supervisor.snapshots().filter(({ state }) => state !== "Skipped").map(flagsOf),
    subscribe: (wake) => supervisor.changes.subscribe(wake),
  };
}

/** What the sequencer is busy with, with a wake-up at each change. Until its first sequence the machine boots. */
export function stageSource(sequencer: Sequencer): {
  sequence(): "boot" | "reboot" | "shutdown" | undefined;
  subscribe(wake: () => void): Disposable;
} {
  let hasBegun = false;
  sequencer.changes.subscribe(() => hasBegun = true);
  return {
    sequence() {
      const { running } = sequencer;
      if (running === "reboot" || running === "shutdown") return running;
      return running === undefined && hasBegun ? undefined : "boot";
    },
    subscribe: (wake) => sequencer.changes.subscribe(wake),
  };
}

/**
 * A text that this machine keeps and no other has: the firmware's product UUID, else (and in a container, which sees its
 * host's firmware) one made at the first start and kept in `folder`.
 */
export function machineId(mode: BootMode, folder: string): string {
  const path = `${folder}/machine-id`;
  for (const place of mode === "machine" ? ["/sys/class/dmi/id/product_uuid", path] : [path]) {
    try {
      const text = Deno.readTextFileSync(place).trim();
      if (isIdentity(text)) return text;
    } catch (error) {
      if (!(error instanceof Error)) throw error; // no such file, no firmware that tells, not for us: the next place
    }
  }
  const made = crypto.randomUUID();
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileAtomic(path, new TextEncoder().encode(`${made}\n`), 0o600);
  return made;
}

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/**
 * What tells this boot from all others, a UUID: the kernel's. A container sees its host's there; it gets one of its own
 * in that place, because clients of the API read the file to see whether a machine has restarted.
 */
export function bootId(mode: BootMode): string {
  if (mode === "machine") return Deno.readTextFileSync(BOOT_ID_FILE).trim();
  const made = crypto.randomUUID();
  if (mode === "node") return made;
  const source = "/run/boot-id";
  Deno.writeTextFileSync(source, `${made}\n`, { mode: 0o444 });
  try {
    mount({ source, target: BOOT_ID_FILE, flags: MS_BIND });
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error; // not allowed to mount: the resource tells it all the same
  }
  return made;
}

/** Boards that were never given a UUID show zeros or ones. */
function isIdentity(text: string): boolean {
  return text !== "" && !/^[0-]+$/.test(text) && !/^[fF-]+$/.test(text);
}
