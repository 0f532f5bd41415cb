import { EAGAIN, EINTR } from "./errno.ts";
import { check, cstring, lastErrno, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";

/** open(2) flags, include/uapi/asm-generic/fcntl.h. */
export const O_RDONLY = 0;
export const O_WRONLY = 1;
export const O_RDWR = 2;
export const O_CREAT = 0o100;
export const O_EXCL = 0o200;
export const O_NOCTTY = 0o400;
export const O_TRUNC = 0o1000;
export const O_APPEND = 0o2000;
export const O_NONBLOCK = 0o4000;
export const O_DIRECTORY = Deno.build.arch === "aarch64" ? 0o40000 : 0o200000;
export const O_CLOEXEC = 0o2000000;

const F_DUPFD_CLOEXEC = 1030;
const F_GETFL = 3;
const F_SETFL = 4;

/** An open descriptor. `using` closes it; `release()` hands it to somebody else. */
export class Fd implements Disposable {
  #number: number;

  constructor(number: number) {
    this.#number = number;
  }

  /** The number, or -1 once closed or released. */
  get number(): number {
    return this.#number;
  }

  /** Gives up ownership; who gets the number closes it. */
  release(): number {
    const number = this.#number;
    this.#number = -1;
    return number;
  }

  [Symbol.dispose](): void {
    const number = this.release();
    if (number >= 0) libc().close(number); // Linux frees the number even when close(2) reports an error
  }
}

/**
 * open(2), always close-on-exec.
 *
 * @param flags `O_…`
 * @param mode permission bits for a file that gets created
 * @throws {SyscallError}
 */
export function openFd(path: string, flags: number, mode = 0): Fd {
  return new Fd(check(libc().open(cstring(path), flags | O_CLOEXEC, mode), "open", `"${path}"`));
}

/** A pipe, both ends close-on-exec; `flags` (`O_NONBLOCK`) count for both. @throws {SyscallError} EMFILE */
export function pipe(flags = 0): { reader: Fd; writer: Fd } {
  const ends = new Int32Array(2);
  check(libc().pipe2(ends, flags | O_CLOEXEC), "pipe2");
  return { reader: new Fd(ends[0] ?? -1), writer: new Fd(ends[1] ?? -1) };
}

/**
 * read(2) into `into`.
 *
 * @returns bytes read, 0 at the end of file, undefined if a non-blocking descriptor has nothing now
 * @throws {SyscallError}
 */
export function readFd(fd: number, into: Uint8Array<ArrayBuffer>): number | undefined {
  return transfer("read", fd, () => libc().read(fd, into, BigInt(into.length)));
}

/**
 * write(2) of `bytes`.
 *
 * @returns bytes written, which may be fewer; undefined if a non-blocking descriptor has no room now
 * @throws {SyscallError} EPIPE if nobody reads any more (Deno ignores SIGPIPE)
 */
export function writeFd(fd: number, bytes: Uint8Array<ArrayBuffer>): number | undefined {
  return transfer("write", fd, () => libc().write(fd, bytes, BigInt(bytes.length)));
}

function transfer(call: string, fd: number, once: () => number | bigint): number | undefined {
  for (;;) {
    const count = Number(once());
    if (count >= 0) return count;
    const errno = lastErrno();
    if (errno === EAGAIN) return undefined;
    if (errno !== EINTR) throw new SyscallError(call, errno, `fd ${fd}`);
  }
}

/** Writes all of it to a blocking descriptor. @throws {SyscallError} EAGAIN if it turns out to be non-blocking */
export function writeAllFd(fd: number, bytes: Uint8Array<ArrayBuffer>): void {
  for (let done = 0; done < bytes.length;) {
    const count = writeFd(fd, bytes.subarray(done));
    if (count === undefined) throw new SyscallError("write", EAGAIN, `fd ${fd}`);
    done += count;
  }
}

/** close(2) of a number that no {@link Fd} owns. */
export function closeFd(fd: number): void {
  libc().close(fd);
}

/** A close-on-exec copy with a number of at least `minimum`. @throws {SyscallError} EBADF, EMFILE */
export function duplicateFd(fd: number, minimum = 3): Fd {
  return new Fd(check(libc().fcntl(fd, F_DUPFD_CLOEXEC, minimum), "fcntl", `fd ${fd}`));
}

/** Makes reads and writes return instead of wait. @throws {SyscallError} EBADF */
export function setNonblocking(fd: number): void {
  const flags = check(libc().fcntl(fd, F_GETFL, 0), "fcntl", `fd ${fd}`);
  check(libc().fcntl(fd, F_SETFL, flags | O_NONBLOCK), "fcntl", `fd ${fd}`);
}
