import { makeDevice } from "../../kernel/device.ts";
import { ENOENT } from "../../kernel/errno.ts";
import { SyscallError } from "../../kernel/ffi.ts";
import {
  mount,
  type MountInfo,
  MS_BIND,
  MS_NODEV,
  MS_NOSUID,
  MS_REC,
  MS_SHARED,
  MS_STRICTATIME,
  readMounts,
} from "../../kernel/mount.ts";
import { cgroupMounts, isCgroupV1, missingMounts, type WantedMount, wantedMounts } from "./mount_plan.ts";

/** Something that the machine or its host cannot give; the machine runs without it. */
export interface BootDiagnostic {
  /** Short name, e.g. `cgroup-v1`. */
  readonly id: string;
  readonly message: string;
}

/** Devices that programs expect in a container: name, permissions, major and minor number. */
const CONTAINER_DEVICES = [
  ["null", 0o666, 1, 3],
  ["zero", 0o666, 1, 5],
  ["full", 0o666, 1, 7],
  ["random", 0o666, 1, 8],
  ["urandom", 0o666, 1, 9],
  ["tty", 0o666, 5, 0],
  ["kmsg", 0o640, 1, 11], // what containerd and the kubelet look at
  ["fuse", 0o666, 10, 229],
  ["net/tun", 0o666, 10, 200],
] as const;

/** Links in /dev: name, where it points. */
const DEVICE_LINKS = [
  ["ptmx", "pts/ptmx"],
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
] as const;

/**
 * Mounts what a running system needs, and makes `/etc` and `/var` writable; what is there already stays.
 *
 * @returns what could not be had
 * @throws {SyscallError} if something fails that the machine cannot start without
 */
export function mountFileSystems(mode: "machine" | "container"): BootDiagnostic[] {
  const [proc] = wantedMounts(mode);
  if (proc !== undefined && !isThere("/proc/self")) mountOne(proc); // before the mounts can be read
  const found: BootDiagnostic[] = [];
  const existing = readMounts();
  for (const wanted of missingMounts(wantedMounts(mode), existing)) {
    if (wanted.onlyIf !== undefined && !isThere(wanted.onlyIf)) continue;
    mountOptional(wanted, found);
    if (wanted.target === "/dev" && mode === "container") makeDevices(found);
  }
  for (const [name, target] of DEVICE_LINKS) if (!isThere(`/dev/${name}`)) Deno.symlinkSync(target, `/dev/${name}`);
  mountCgroups(existing, found);
  makeWritable(existing.map(({ target }) => target));
  mount({ source: "", target: "/", flags: MS_REC | MS_SHARED }); // mounts of containers have to reach the kubelet's
  return found;
}

function mountCgroups(existing: readonly MountInfo[], found: BootDiagnostic[]): void {
  const membership = Deno.readTextFileSync("/proc/self/cgroup");
  for (const wanted of missingMounts(cgroupMounts(membership), existing)) mountOptional(wanted, found);
  if (isCgroupV1(membership)) {
    const message = "The host uses cgroup v1: services are grouped, but memory and CPU limits are not applied";
    found.push({ id: "cgroup-v1", message });
  }
}

function mountOptional(wanted: WantedMount, found: BootDiagnostic[]): void {
  try {
    mountOne(wanted);
  } catch (error) {
    if (wanted.optional === undefined || !(error instanceof Error)) throw error;
    const id = `mount-${wanted.target.slice(1).replaceAll("/", "-")}`;
    found.push({ id, message: `${error.message}; ${wanted.optional}` });
  }
}

function mountOne(wanted: WantedMount): void {
  try {
    mount(wanted);
  } catch (error) {
    if (!(error instanceof SyscallError) || error.errno !== ENOENT) throw error;
    Deno.mkdirSync(wanted.target, { recursive: true });
    mount(wanted);
  }
}

function makeDevices(found: BootDiagnostic[]): void {
  Deno.mkdirSync("/dev/net", { recursive: true });
  for (const [name, permissions, major, minor] of CONTAINER_DEVICES) {
    try {
      makeDevice(`/dev/${name}`, permissions, major, minor);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      found.push({ id: `device-${name.replace("/", "-")}`, message: error.message });
    }
  }
}

/** The root is read-only: `/etc` becomes a copy of itself in memory, `/var` an empty folder in memory. */
function makeWritable(mounted: readonly string[]): void {
  const flags = MS_NOSUID | MS_NODEV | MS_STRICTATIME;
  if (!mounted.includes("/etc") && !isWritable("/etc")) {
    Deno.mkdirSync("/system/etc", { recursive: true });
    copyTree("/etc", "/system/etc");
    mount({ source: "/system/etc", target: "/etc", flags: MS_BIND });
  }
  if (!mounted.includes("/var") && !isWritable("/var")) {
    mount({ source: "tmpfs", target: "/var", type: "tmpfs", flags, data: "mode=0755" });
  }
  for (const folder of ["/var/lib", "/var/log", "/system/run", "/system/state"]) {
    Deno.mkdirSync(folder, { recursive: true });
  }
  if (!isThere("/var/run")) Deno.symlinkSync("../run", "/var/run");
}

function copyTree(from: string, to: string): void {
  for (const entry of Deno.readDirSync(from)) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`];
    if (entry.isSymlink) Deno.symlinkSync(Deno.readLinkSync(source), target);
    else if (entry.isDirectory) {
      Deno.mkdirSync(target);
      copyTree(source, target);
    } else Deno.copyFileSync(source, target);
  }
}

/** Tried, because permission bits say nothing about a read-only file system. */
function isWritable(folder: string): boolean {
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir: folder, prefix: ".try" }));
    return true;
  } catch (error) {
    if (error instanceof Error) return false; // EROFS, ENOENT, EACCES: all of them mean no
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
