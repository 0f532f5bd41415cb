import { EINTR } from "./errno.ts";
import { errnoName, SyscallError } from "./ffi.ts";
import { type MessageVisitor, MnlSocket, visitMessages } from "./mnl_socket.ts";
import { align4, NLMSG_HEADER_SIZE, readText, visitAttributes } from "./netlink_message.ts";

/** Netlink buses, include/uapi/linux/netlink.h. */
export const NETLINK_ROUTE = 0;

export const NLM_F_REQUEST = 0x01;
export const NLM_F_ACK = 0x04;
export const NLM_F_DUMP_INTR = 0x10;
export const NLM_F_DUMP = 0x300;
export const NLM_F_REPLACE = 0x100;
export const NLM_F_EXCL = 0x200;
export const NLM_F_CREATE = 0x400;
export const NLM_F_APPEND = 0x800;

const NLM_F_CAPPED = 0x100;
const NLM_F_ACK_TLVS = 0x200;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLMSG_MIN_TYPE = 0x10;
const NLMSGERR_ATTR_MSG = 1;
const NLMSGERR_ATTR_OFFS = 2;

const NETLINK_CAP_ACK = 10;
const NETLINK_EXT_ACK = 11;
const NETLINK_GET_STRICT_CHK = 12;

const SEND_BYTES = 128 * 1024; // below the default send buffer of a socket, which bounds one sendto
const ACK_BUFFER_BYTES = 4 * 1024 * 1024;
const MAX_BATCH = 2048; // so that a refusal of every message still fits the receive buffer
const MAX_DUMP_ATTEMPTS = 10;

/** A request that the kernel refused. */
export class NetlinkError extends SyscallError {
  override readonly name = "NetlinkError";
  /** The kernel's own words (extended ack), empty if it gave none. */
  readonly kernelMessage: string;
  /** Where in the request the attribute is that it disliked, in bytes from the message header; 0 if not told. */
  readonly offset: number;

  constructor(call: string, errno: number, thing: string, kernelMessage = "", offset = 0) {
    super(call, errno, thing, kernelMessage === "" ? errnoName(errno) : `${errnoName(errno)} (${kernelMessage})`);
    this.kernelMessage = kernelMessage;
    this.offset = offset;
  }
}

/** One message to the kernel. */
export interface NetlinkRequest {
  /** E.g. `RTM_NEWADDR`. */
  readonly type: number;
  /** `NLM_F_…` besides NLM_F_REQUEST and NLM_F_ACK, which are added. */
  readonly flags: number;
  /** The fixed struct of the type, then attributes. */
  readonly payload: Uint8Array;
  /** For error texts: what it does, e.g. `add address`. */
  readonly verb: string;
  /** For error texts: to what, e.g. `"10.0.0.5/24"`. */
  readonly thing: string;
}

/**
 * Called for each message; the payload lies in `view` from `start` to `end`, only until it returns. What it returns is
 * collected, undefined aside.
 */
export type NetlinkDecoder<T> = (type: number, view: DataView, start: number, end: number) => T | undefined;

/**
 * Requests and dumps on one bus. All calls block until the kernel has answered, which it does at once. Works in the
 * network namespace that the thread was in when it was made.
 */
export class NetlinkSocket implements Disposable {
  #socket: MnlSocket;
  #sequence = 0;
  #sendBytes = new Uint8Array(SEND_BYTES);
  #sendView = new DataView(this.#sendBytes.buffer);

  /** @throws {SyscallError} */
  constructor(bus: number) {
    this.#socket = new MnlSocket(bus, 0);
    using undo = new DisposableStack();
    undo.use(this.#socket);
    for (const option of [NETLINK_CAP_ACK, NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK]) this.#socket.setOption(option, 1);
    this.#socket.setReceiveBytes(ACK_BUFFER_BYTES);
    undo.move();
  }

  /**
   * Does one request.
   *
   * @returns what `decode` made of the answers that come before the ack
   * @throws {NetlinkError} the kernel refused it
   */
  request<T>(request: NetlinkRequest, decode: NetlinkDecoder<T> = () => undefined): T[] {
    const results: T[] = [];
    const sequence = ++this.#sequence;
    this.#socket.send(this.#sendBytes, this.#put(0, request, request.flags | NLM_F_ACK, sequence));
    let isDone = false;
    while (!isDone) {
      this.#receive((type, flags, seq, start, end) => {
        if (seq !== sequence) return;
        if (type === NLMSG_ERROR) {
          isDone = true;
          const error = this.#readError(request, flags, start, end);
          if (error !== undefined) throw error;
        } else this.#collect(results, decode, type, start, end);
      });
    }
    return results;
  }

  /**
   * Does many requests with as few system calls as their size allows: the kernel works through them in order and goes on
   * after a refusal. Only the last of a packet asks for an ack; refusals are always told.
   *
   * @returns a place for each request: its error, or undefined
   */
  batch(requests: readonly NetlinkRequest[]): (NetlinkError | undefined)[] {
    const results: (NetlinkError | undefined)[] = new Array(requests.length).fill(undefined);
    for (let first = 0; first < requests.length;) first = this.#sendPacket(requests, first, results);
    return results;
  }

  /** Sends what fits from `first` on and waits for the last ack; gives the first that did not fit. */
  #sendPacket(requests: readonly NetlinkRequest[], first: number, results: (NetlinkError | undefined)[]): number {
    const base = this.#sequence + 1 - first;
    let length = 0;
    let next = first;
    let last = 0;
    for (; next < requests.length && next - first < MAX_BATCH; next++) {
      const request = requests[next];
      if (request === undefined) break;
      if (length > 0 && length + align4(NLMSG_HEADER_SIZE + request.payload.length) > SEND_BYTES) break;
      last = length;
      length = this.#put(length, request, request.flags, ++this.#sequence);
    }
    this.#sendView.setUint16(last + 6, this.#sendView.getUint16(last + 6, true) | NLM_F_ACK, true);
    this.#socket.send(this.#sendBytes, length);
    let isDone = false;
    while (!isDone) {
      this.#receive((type, flags, seq, start, end) => {
        const request = requests[seq - base];
        if (type !== NLMSG_ERROR || request === undefined || seq - base < first) return;
        results[seq - base] = this.#readError(request, flags, start, end);
        if (seq === this.#sequence) isDone = true;
      });
    }
    return next;
  }

  /**
   * Asks for everything of a kind; starts again if the table changed meanwhile.
   *
   * @returns what `decode` made of the messages
   * @throws {NetlinkError} refused; EINTR if the table kept changing through ten attempts
   */
  dump<T>(request: NetlinkRequest, decode: NetlinkDecoder<T>): T[] {
    for (let attempt = 0; attempt < MAX_DUMP_ATTEMPTS; attempt++) {
      const results: T[] = [];
      if (this.#dumpOnce(request, decode, results)) return results;
    }
    throw new NetlinkError(request.verb, EINTR, request.thing, "the table kept changing");
  }

  /** False if the kernel says that the table changed while it was read. */
  #dumpOnce<T>(request: NetlinkRequest, decode: NetlinkDecoder<T>, results: T[]): boolean {
    const sequence = ++this.#sequence;
    this.#socket.send(this.#sendBytes, this.#put(0, request, request.flags | NLM_F_DUMP, sequence));
    let isDone = false;
    let isConsistent = true;
    while (!isDone) {
      this.#receive((type, flags, seq, start, end) => {
        if (seq !== sequence) return;
        if ((flags & NLM_F_DUMP_INTR) !== 0) isConsistent = false;
        if (type === NLMSG_DONE || type === NLMSG_ERROR) {
          isDone = true;
          const error = this.#readError(request, flags, start, end);
          if (error !== undefined) throw error;
        } else this.#collect(results, decode, type, start, end);
      });
    }
    return isConsistent;
  }

  #collect<T>(results: T[], decode: NetlinkDecoder<T>, type: number, start: number, end: number): void {
    if (type < NLMSG_MIN_TYPE) return;
    const result = decode(type, this.#socket.view, start, end);
    if (result !== undefined) results.push(result);
  }

  #put(at: number, { type, payload }: NetlinkRequest, flags: number, sequence: number): number {
    const length = NLMSG_HEADER_SIZE + payload.length;
    if (at + length > SEND_BYTES) throw new RangeError(`Cannot send netlink message: ${length} bytes are too many`);
    this.#sendView.setUint32(at, length, true);
    this.#sendView.setUint16(at + 4, type, true);
    this.#sendView.setUint16(at + 6, flags | NLM_F_REQUEST, true);
    this.#sendView.setUint32(at + 8, sequence, true);
    this.#sendView.setUint32(at + 12, 0, true);
    this.#sendBytes.set(payload, at + NLMSG_HEADER_SIZE);
    return at + align4(length);
  }

  #receive(visit: MessageVisitor): void {
    const count = this.#socket.receive();
    if (count < 0) throw new SyscallError("mnl_socket_recvfrom", -count);
    visitMessages(this.#socket.view, count, visit);
  }

  /** What a NLMSG_ERROR or NLMSG_DONE says; undefined for success. */
  #readError(request: NetlinkRequest, flags: number, start: number, end: number): NetlinkError | undefined {
    const view = this.#socket.view;
    const errno = end - start >= 4 ? -view.getInt32(start, true) : 0;
    if (errno <= 0) return undefined;
    let kernelMessage = "";
    let offset = 0;
    if ((flags & NLM_F_ACK_TLVS) !== 0) {
      visitAttributes(view, this.#tlvStart(flags, start, end), end, (type, at, length) => {
        if (type === NLMSGERR_ATTR_MSG) kernelMessage = readText(view, at, length);
        if (type === NLMSGERR_ATTR_OFFS && length === 4) offset = view.getUint32(at, true);
      });
    }
    return new NetlinkError(request.verb, errno, request.thing, kernelMessage, offset);
  }

  /** An ack repeats the request's header, and all of it unless capped; the end of a dump repeats nothing. */
  #tlvStart(flags: number, start: number, end: number): number {
    if (this.#socket.view.getUint16(start - NLMSG_HEADER_SIZE + 4, true) === NLMSG_DONE) return start + 4;
    const repeated = (flags & NLM_F_CAPPED) !== 0 ? NLMSG_HEADER_SIZE : this.#socket.view.getUint32(start + 4, true);
    return Math.min(end, start + 4 + align4(repeated));
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]();
  }
}
