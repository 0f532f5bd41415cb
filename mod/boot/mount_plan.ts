import { type MountInfo, type MountRequest, MS_NODEV, MS_NOEXEC, MS_NOSUID } from "../../kernel/mount.ts";

/** What the program is PID 1 of: a booted machine, or namespaces on a host. `node` is no PID 1, for development. */
export type BootMode = "machine" | "container" | "node";

/** A mount that the machine wants to have. */
export interface WantedMount extends MountRequest {
  /** Why the machine can do without it; absent: it cannot start without. */
  optional?: string;
  /** Not wanted unless this path is there. */
  onlyIf?: string;
}

const STRICT = MS_NOSUID | MS_NODEV | MS_NOEXEC;
const tmpfs = (target: string, data: string, flags: number): WantedMount => ({
  ...{ source: "tmpfs", target, type: "tmpfs", flags, data },
});

/** Mounts of file systems that the kernel makes up, the folders of the machine's own state, in order. Pure. */
export function wantedMounts(mode: "machine" | "container"): WantedMount[] {
  const isMachine = mode === "machine";
  const dev = isMachine
    ? { source: "devtmpfs", target: "/dev", type: "devtmpfs", flags: MS_NOSUID, data: "mode=0755" }
    : tmpfs("/dev", "mode=0755,size=64k", MS_NOSUID);
  return [
    { source: "proc", target: "/proc", type: "proc", flags: STRICT },
    { source: "sysfs", target: "/sys", type: "sysfs", flags: STRICT },
    dev,
    // ptmxmode: programs open /dev/pts/ptmx through the link /dev/ptmx
    {
      ...{ source: "devpts", target: "/dev/pts", type: "devpts", flags: MS_NOSUID | MS_NOEXEC },
      data: "newinstance,mode=0620,ptmxmode=0666",
    },
    tmpfs("/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV),
    {
      ...{ source: "mqueue", target: "/dev/mqueue", type: "mqueue", flags: STRICT },
      optional: "POSIX message queues are missing",
    },
    tmpfs("/run", "mode=0755", MS_NOSUID | MS_NODEV),
    tmpfs("/tmp", "mode=1777", MS_NOSUID | MS_NODEV),
    tmpfs("/system", "mode=0755", MS_NOSUID | MS_NODEV),
    ...(isMachine ? MACHINE_ONLY : []),
  ];
}

const MACHINE_ONLY: readonly WantedMount[] = [
  {
    ...{ source: "securityfs", target: "/sys/kernel/security", type: "securityfs", flags: STRICT },
    optional: "security modules cannot be seen",
  },
  {
    ...{ source: "efivarfs", target: "/sys/firmware/efi/efivars", type: "efivarfs", flags: STRICT },
    ...{ onlyIf: "/sys/firmware/efi", optional: "EFI variables cannot be read" },
  },
  {
    ...{ source: "bpf", target: "/sys/fs/bpf", type: "bpf", flags: STRICT, data: "mode=0700" },
    optional: "BPF objects cannot be pinned",
  },
];

/**
 * Mounts of control groups. Where the host has given controllers to v1, those come back one by one under their usual
 * names; else v2 alone. Pure.
 *
 * @param membership content of /proc/self/cgroup
 */
export function cgroupMounts(membership: string): WantedMount[] {
  const v1 = v1Hierarchies(membership);
  const root = "/sys/fs/cgroup";
  if (v1.length === 0) {
    return [{
      ...{ source: "cgroup2", target: root, type: "cgroup2", flags: STRICT, data: "nsdelegate,memory_recursiveprot" },
      optional: "there are no control groups",
    }];
  }
  return [
    tmpfs(root, "mode=0755", STRICT),
    ...v1.map(({ folder, options }) => ({
      ...{ source: "cgroup", target: `${root}/${folder}`, type: "cgroup", flags: STRICT, data: options },
      optional: `the host does not give its control group controller ${folder}`,
    })),
  ];
}

/** Whether limits of services cannot be applied because the host still uses cgroup v1. Pure. */
export function isCgroupV1(membership: string): boolean {
  return v1Hierarchies(membership).length > 0;
}

/** Lines are `ID:CONTROLLERS:PATH`; v2 has none, and a named hierarchy alone does not make a host one of v1. */
function v1Hierarchies(membership: string): { folder: string; options: string }[] {
  const lists = membership.split("\n").map((line) => line.split(":")[1] ?? "").filter((names) => names !== "");
  if (lists.every((names) => names.startsWith("name="))) return [];
  return lists.map((names) => ({
    folder: names.startsWith("name=") ? names.slice("name=".length) : names,
    options: names.startsWith("name=") ? `none,${names}` : names,
  }));
}

/** What is still to be mounted: a target with a file system of this type on it stays as it is. Pure. */
export function missingMounts(wanted: readonly WantedMount[], existing: readonly MountInfo[]): WantedMount[] {
  const there = new Set(existing.map(({ target, type }) => `${type} ${target}`));
  return wanted.filter(({ target, type }) => !there.has(`${type} ${target}`));
}
