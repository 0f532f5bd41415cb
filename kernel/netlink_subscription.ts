import { EAGAIN, ENOBUFS } from "./errno.ts";
import { SyscallError } from "./ffi.ts";
import { MnlSocket, SOCK_NONBLOCK, visitMessages } from "./mnl_socket.ts";

const NETLINK_ADD_MEMBERSHIP = 1;
/** Then others get their turn on the main thread; the reactor calls again. */
const MAX_PACKETS = 4096;

/** What reading a subscription came to. */
export type SubscriptionState = "drained" | "overrun";

/** Multicast groups of one bus, apart from the sockets that make requests. */
export class NetlinkSubscription implements Disposable {
  #socket: MnlSocket;

  /**
   * @param groups numbers `RTNLGRP_…`, not bits
   * @param receiveBytes room for messages that are not read yet; the kernel books about 1 KiB a message
   * @throws {SyscallError}
   */
  constructor(bus: number, groups: readonly number[], receiveBytes: number) {
    this.#socket = new MnlSocket(bus, SOCK_NONBLOCK);
    using undo = new DisposableStack();
    undo.use(this.#socket);
    this.#socket.setReceiveBytes(receiveBytes);
    for (const group of groups) this.#socket.setOption(NETLINK_ADD_MEMBERSHIP, group);
    undo.move();
  }

  /** For the reactor; readable when messages wait. */
  get fd(): number {
    return this.#socket.fd;
  }

  /**
   * Reads what waits, up to some thousand packets.
   *
   * @param visit the payload lies in `view` from `start` to `end`, only until it returns
   * @returns `overrun` if the kernel had to drop messages since the last time; what is left is read all the same
   * @throws {SyscallError}
   */
  receive(visit: (type: number, flags: number, view: DataView, start: number, end: number) => void): SubscriptionState {
    const view = this.#socket.view;
    let state: SubscriptionState = "drained";
    for (let packets = 0; packets < MAX_PACKETS; packets++) {
      const count = this.#socket.receive();
      if (count === -EAGAIN) break;
      if (count === -ENOBUFS) state = "overrun";
      else if (count < 0) throw new SyscallError("mnl_socket_recvfrom", -count);
      else visitMessages(view, count, (type, flags, _sequence, start, end) => visit(type, flags, view, start, end));
    }
    return state;
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]();
  }
}
