import { EEXIST } from "./errno.ts";
import { cstring, lastErrno, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";

const S_IFCHR = 0o020000;

/**
 * Makes the node of a character device, with these permissions whatever the umask; one that is there stays.
 *
 * @throws {SyscallError} EPERM without CAP_MKNOD or in a user namespace
 */
export function makeDevice(path: string, mode: number, major: number, minor: number): void {
  if (libc().mknod(cstring(path), S_IFCHR | mode, deviceNumber(major, minor)) < 0) {
    const errno = lastErrno();
    if (errno === EEXIST) return;
    throw new SyscallError("mknod", errno, `"${path}"`);
  }
  Deno.chmodSync(path, mode);
}

/** `dev_t` as glibc packs it; pure. */
export function deviceNumber(major: number, minor: number): bigint {
  const [a, i] = [BigInt(major), BigInt(minor)];
  return (i & 0xffn) | ((a & 0xfffn) << 8n) | ((i & ~0xffn) << 12n) | ((a & ~0xfffn) << 32n);
}
