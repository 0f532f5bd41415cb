import { check } from "./ffi.ts";
import { libc } from "./libc.ts";
import { struct } from "./struct.ts";

/** Resources, include/uapi/asm-generic/resource.h. */
export const RLIMITS = { core: 4, nproc: 6, nofile: 7, memlock: 8 } as const;

/** No limit. */
export const RLIM_INFINITY = 2n ** 64n - 1n;

/** `struct rlimit` of 64-bit glibc. */
const rlimit = struct(16, { current: [0, "u64"], maximum: [8, "u64"] });

/** Soft and hard limit of this process. @throws {SyscallError} */
export function getRlimit(resource: keyof typeof RLIMITS): { current: bigint; maximum: bigint } {
  const bytes = new Uint8Array(rlimit.size);
  check(libc().getrlimit(RLIMITS[resource], bytes), "getrlimit", resource);
  return rlimit.decode(bytes);
}

/** Sets both limits of this process and of its later children. @throws {SyscallError} EPERM above the hard limit */
export function setRlimit(resource: keyof typeof RLIMITS, limit: { current: bigint; maximum: bigint }): void {
  check(libc().setrlimit(RLIMITS[resource], rlimit.encode(limit)), "setrlimit", resource);
}
