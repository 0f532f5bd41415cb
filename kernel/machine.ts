import { check, cstring, fromCstring } from "./ffi.ts";
import { libc } from "./libc.ts";

const encoder = new TextEncoder();

/** reboot(2) commands, include/uapi/linux/reboot.h, as signed numbers. */
export const REBOOT_COMMANDS = {
  restart: 0x01234567,
  halt: 0xcdef0123 | 0,
  powerOff: 0x4321fedc,
  kexec: 0x45584543,
  /** Ctrl-Alt-Del restarts at once. */
  enableCad: 0x89abcdef | 0,
  /** Ctrl-Alt-Del sends SIGINT to PID 1. */
  disableCad: 0,
} as const;

/**
 * reboot(2); does not return for restart, halt and power-off. Call {@link syncAll} first. In a PID namespace it ends
 * the namespace: its parent sees SIGHUP (restart) or SIGINT (halt, power-off).
 *
 * @throws {SyscallError} EPERM, EINVAL where a container has no such command
 */
export function reboot(command: keyof typeof REBOOT_COMMANDS): void {
  check(libc().reboot(REBOOT_COMMANDS[command]), "reboot", command);
}

/** sync(2), on another thread: everything written is on the disks when it resolves, which for a broken one is never. */
export async function syncAll(): Promise<void> {
  await libc().sync();
}

/** What the kernel takes of a host or domain name, in bytes: `__NEW_UTS_LEN`, include/uapi/linux/utsname.h. */
export const MAX_NAME_BYTES = 64;

/** The kernel's host name. @throws {SyscallError} */
export function hostname(): string {
  const bytes = new Uint8Array(65);
  check(libc().gethostname(bytes, BigInt(bytes.length)), "gethostname");
  return fromCstring(bytes);
}

/** At most 64 bytes. @throws {SyscallError} EPERM, EINVAL if too long */
export function setHostname(name: string): void {
  const bytes = encoder.encode(name);
  check(libc().sethostname(bytes, BigInt(bytes.length)), "sethostname", `"${name}"`);
}

/** The NIS domain, which uname shows; at most 64 bytes. @throws {SyscallError} EPERM, EINVAL if too long */
export function setDomainname(name: string): void {
  const bytes = encoder.encode(name);
  check(libc().setdomainname(bytes, BigInt(bytes.length)), "setdomainname", `"${name}"`);
}

/** Changes the working directory of the process. @throws {SyscallError} ENOENT */
export function changeFolder(path: string): void {
  check(libc().chdir(cstring(path)), "chdir", `to "${path}"`);
}
