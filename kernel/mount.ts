import { check, cstring } from "./ffi.ts";
import { libc } from "./libc.ts";

/** mount(2) flags, include/uapi/linux/mount.h. */
export const MS_RDONLY = 1;
export const MS_NOSUID = 2;
export const MS_NODEV = 4;
export const MS_NOEXEC = 8;
export const MS_REMOUNT = 32;
export const MS_NOATIME = 1024;
export const MS_BIND = 4096;
export const MS_MOVE = 8192;
export const MS_REC = 16384;
export const MS_UNBINDABLE = 1 << 17;
export const MS_PRIVATE = 1 << 18;
export const MS_SLAVE = 1 << 19;
export const MS_SHARED = 1 << 20;
export const MS_RELATIME = 1 << 21;
export const MS_STRICTATIME = 1 << 24;

/** umount2(2) flags, include/linux/fs.h. */
export const MNT_FORCE = 1;
export const MNT_DETACH = 2;
export const UMOUNT_NOFOLLOW = 8;

const SYS_pivot_root = Deno.build.arch === "aarch64" ? 41n : 155n;

/** What mount(2) takes. */
export interface MountRequest {
  /** Device, folder for a bind mount, or any word for virtual file systems. */
  source: string;
  target: string;
  /** File system type, e.g. `proc`; empty for bind mounts, remounts and changes of propagation. */
  type?: string;
  /** `MS_…`, or-ed. */
  flags?: number;
  /** Options of the file system, comma separated, e.g. `mode=0755,size=64m`. */
  data?: string;
}

/** mount(2). @throws {SyscallError} EPERM, ENOENT, EBUSY, ENODEV if the kernel lacks the file system */
export function mount({ source, target, type = "", flags = 0, data = "" }: MountRequest): void {
  const done = libc().mount(cstring(source), cstring(target), cstring(type), BigInt(flags), cstring(data));
  check(done, "mount", `${type === "" ? `"${source}"` : type} on "${target}"`);
}

/** umount2(2) of the topmost mount at `target`; flags are `MNT_…`. @throws {SyscallError} EBUSY, EINVAL: no mount */
export function unmount(target: string, flags = 0): void {
  check(libc().umount2(cstring(target), flags), "unmount", `"${target}"`);
}

/**
 * pivot_root(2): `newRoot` (a mount point) becomes `/`, the old root moves to `putOld` below it. With both `.`, the
 * old root ends stacked on the new one and `unmount(".", MNT_DETACH)` drops it.
 *
 * @throws {SyscallError} EINVAL if the mount is shared or no mount point
 */
export function pivotRoot(newRoot: string, putOld: string): void {
  const done = libc().syscall_paths(SYS_pivot_root, cstring(newRoot), cstring(putOld));
  check(Number(done), "pivot_root", `to "${newRoot}"`);
}

/** chroot(2), which also moves the working directory to the new `/`. @throws {SyscallError} */
export function changeRoot(path: string): void {
  check(libc().chroot(cstring(path)), "chroot", `to "${path}"`);
  check(libc().chdir(cstring("/")), "chdir", `to "/"`);
}

/** One mount of a mount namespace, as proc(5) tells it. */
export interface MountInfo {
  id: number;
  parentId: number;
  /** `major:minor` of the file system. */
  device: string;
  /** The folder of the file system that is seen at the target. */
  root: string;
  target: string;
  /** Options of this mount, e.g. `rw,nosuid`. */
  options: string[];
  /** Propagation and such: `shared:12`, `master:3`, `unbindable`. */
  tags: string[];
  type: string;
  source: string;
  /** Options of the file system as a whole. */
  superOptions: string[];
}

/** All mounts that the calling thread sees, in mount order. @throws {Deno.errors.NotFound} without /proc */
export function readMounts(): MountInfo[] {
  return parseMountInfo(Deno.readTextFileSync("/proc/thread-self/mountinfo"));
}

/** Pure. @throws {SyntaxError} for a line that is not in the format. @see Documentation/filesystems/proc.rst 3.5 */
export function parseMountInfo(text: string): MountInfo[] {
  return text.split("\n").filter((line) => line !== "").map(parseLine);
}

function parseLine(line: string): MountInfo {
  const words = line.split(" ").map(unescape);
  const dash = words.indexOf("-", 6);
  const [id, parentId, device = "", root = "", target = "", options = ""] = words;
  const [type, source, superOptions] = words.slice(dash + 1);
  if (dash === -1 || type === undefined || source === undefined || superOptions === undefined) {
    throw new SyntaxError(`Cannot parse mountinfo line "${line}": not in the format of proc(5)`);
  }
  return {
    ...{ id: Number(id), parentId: Number(parentId), device, root, target },
    ...{ options: options.split(","), tags: words.slice(6, dash), type, source },
    superOptions: superOptions.split(","),
  };
}

/** The kernel writes space, tab, newline, `#` and backslash as three octal digits. */
function unescape(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
