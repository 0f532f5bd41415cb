import { EINTR } from "./errno.ts";
import { check, lastErrno, lastError, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";
import { libmnl } from "./libmnl.ts";
import { align4, NLMSG_HEADER_SIZE } from "./netlink_message.ts";

const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_RCVBUFFORCE = 33;
const SOCK_CLOEXEC = 0o2000000;
/** For sockets whose reads must not wait. */
export const SOCK_NONBLOCK = 0o4000;
const RECEIVE_BYTES = 256 * 1024;

/** Owns a `mnl_socket` and one receive buffer. */
export class MnlSocket implements Disposable {
  #handle: Deno.PointerValue;
  readonly buffer = new Uint8Array(RECEIVE_BYTES);
  readonly view = new DataView(this.buffer.buffer);

  constructor(bus: number, flags: number) {
    this.#handle = libmnl().mnl_socket_open2(bus, SOCK_CLOEXEC | flags);
    if (this.#handle === null) throw lastError("mnl_socket_open2", `bus ${bus}`);
    using undo = new DisposableStack();
    undo.use(this);
    check(libmnl().mnl_socket_bind(this.#handle, 0, 0), "mnl_socket_bind", `bus ${bus}`);
    undo.move();
  }

  /** Stays owned by this object. */
  get fd(): number {
    return libmnl().mnl_socket_get_fd(this.#open());
  }

  /** libmnl follows the pointer without a look, and a NULL there would take the whole program down. */
  #open(): Deno.PointerObject {
    if (this.#handle === null) throw new TypeError("Cannot use netlink socket: closed");
    return this.#handle;
  }

  /** Sets a SOL_NETLINK option. */
  setOption(option: number, value: number): void {
    const done = libmnl().mnl_socket_setsockopt(this.#open(), option, Int32Array.of(value), 4);
    check(done, "mnl_socket_setsockopt", `option ${option}`);
  }

  /** Beyond net.core.rmem_max where the process may, else as far as that allows. */
  setReceiveBytes(bytes: number): void {
    const value = Int32Array.of(bytes);
    if (libc().setsockopt(this.fd, SOL_SOCKET, SO_RCVBUFFORCE, value, 4) === 0) return;
    check(libc().setsockopt(this.fd, SOL_SOCKET, SO_RCVBUF, value, 4), "setsockopt", "SO_RCVBUF");
  }

  send(bytes: Uint8Array<ArrayBuffer>, length: number): void {
    while (libmnl().mnl_socket_sendto(this.#open(), bytes, BigInt(length)) < 0) {
      const errno = lastErrno();
      if (errno !== EINTR) throw new SyscallError("mnl_socket_sendto", errno);
    }
  }

  /** Bytes received, or the negative errno. */
  receive(): number {
    for (;;) {
      const count = Number(libmnl().mnl_socket_recvfrom(this.#open(), this.buffer, BigInt(RECEIVE_BYTES)));
      if (count >= 0) return count;
      const errno = lastErrno();
      if (errno !== EINTR) return -errno;
    }
  }

  [Symbol.dispose](): void {
    if (this.#handle !== null) libmnl().mnl_socket_close(this.#handle);
    this.#handle = null;
  }
}

/** Called with header fields and where the payload lies. */
export type MessageVisitor = (type: number, flags: number, sequence: number, start: number, end: number) => void;

/** Takes one packet of `count` bytes apart. @throws {RangeError} cut off */
export function visitMessages(view: DataView, count: number, visit: MessageVisitor): void {
  for (let at = 0; at + NLMSG_HEADER_SIZE <= count;) {
    const length = view.getUint32(at, true);
    if (length < NLMSG_HEADER_SIZE || at + length > count) {
      throw new RangeError(`Cannot decode netlink message: ${count - at} bytes where ${length} are needed`);
    }
    const [type, flags] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
    visit(type, flags, view.getUint32(at + 8, true), at + NLMSG_HEADER_SIZE, at + length);
    at += align4(length);
  }
}
