import { check } from "./ffi.ts";
import { libc } from "./libc.ts";

/** Numbers of capabilities, include/uapi/linux/capability.h. */
export const CAPABILITIES = { CAP_SYS_MODULE: 16, CAP_SYS_BOOT: 22 } as const;

const PR_CAPBSET_DROP = 24;

/**
 * Takes a capability from all programs that this thread starts from now on, for good. The thread itself keeps it: the
 * bounding set counts only at execve(2).
 *
 * @throws {SyscallError} EPERM without CAP_SETPCAP
 */
export function denyToChildren(capability: keyof typeof CAPABILITIES): void {
  check(libc().prctl(PR_CAPBSET_DROP, BigInt(CAPABILITIES[capability]), 0n, 0n, 0n), "prctl", capability);
}
