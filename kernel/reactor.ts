import { EINTR } from "./errno.ts";
import { Fd } from "./fd.ts";
import { check, lastErrno, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";

/** epoll events, include/uapi/linux/eventpoll.h. */
export const EPOLLIN = 0x001;
export const EPOLLPRI = 0x002;
export const EPOLLOUT = 0x004;
export const EPOLLERR = 0x008;
export const EPOLLHUP = 0x010;
export const EPOLLRDHUP = 0x2000;
export const EPOLLONESHOT = 1 << 30;
export const EPOLLET = 1 << 31;

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const EFD_NONBLOCK_CLOEXEC = 0o2004000;
const MAX_EVENTS = 64;

// `struct epoll_event` is packed on x86-64 only.
const [EVENT_SIZE, DATA_AT] = Deno.build.arch === "x86_64" ? [12, 4] : [16, 8];
const STOP = 0;

/** Called with the `EPOLL…` bits that are set. Has to read or write until EAGAIN before it returns. */
export type ReactorCallback = (events: number) => void;

/**
 * The one place where the program waits: a single epoll_wait(2) off the main thread, for all descriptors. Callbacks run
 * on the main thread, one after the other. Idle, it costs nothing; it keeps the program alive until disposed.
 */
export class Reactor implements AsyncDisposable {
  #epoll: Fd;
  #stop: Fd;
  #callbacks = new Map<number, ReactorCallback>();
  #nextToken = STOP + 1;
  #isStopped = false;
  #onError: (error: unknown) => void;
  #loop: Promise<void>;

  /**
   * @param onError gets what a callback throws, and the loop goes on; also a failure of epoll itself, which ends it
   * @throws {SyscallError} EMFILE
   */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    using undo = new DisposableStack();
    this.#epoll = undo.use(new Fd(check(libc().epoll_create1(EPOLL_CLOEXEC), "epoll_create1")));
    this.#stop = undo.use(new Fd(check(libc().eventfd(0, EFD_NONBLOCK_CLOEXEC), "eventfd")));
    this.#control(EPOLL_CTL_ADD, this.#stop.number, EPOLLIN, STOP);
    undo.move();
    this.#loop = this.#run().catch(onError);
  }

  /**
   * Watches a descriptor until the result is disposed, which has to come before the descriptor is closed. The kernel
   * takes both into account at once, even while the loop waits. Level-triggered unless `EPOLLET` is given.
   *
   * @param fd stays the caller's; has to be non-blocking if it is read in the callback
   * @param events `EPOLL…`, or-ed; EPOLLERR and EPOLLHUP always come
   * @throws {SyscallError} EEXIST if it is watched already, EPERM for regular files
   */
  add(fd: number, events: number, callback: ReactorCallback): Disposable {
    const token = this.#nextToken++;
    this.#control(EPOLL_CTL_ADD, fd, events, token);
    this.#callbacks.set(token, callback);
    return {
      [Symbol.dispose]: () => {
        if (!this.#callbacks.delete(token) || this.#isStopped) return;
        this.#control(EPOLL_CTL_DEL, fd, 0, token);
      },
    };
  }

  #control(operation: number, fd: number, events: number, token: number): void {
    const event = new Uint8Array(EVENT_SIZE);
    const view = new DataView(event.buffer);
    view.setInt32(0, events, true);
    view.setUint32(DATA_AT, token, true);
    check(libc().epoll_ctl(this.#epoll.number, operation, fd, event), "epoll_ctl", `fd ${fd}`);
  }

  async #run(): Promise<void> {
    const events = new Uint8Array(MAX_EVENTS * EVENT_SIZE);
    const view = new DataView(events.buffer);
    while (!this.#isStopped) {
      const count = await libc().epoll_wait_off_thread(this.#epoll.number, events, MAX_EVENTS, -1);
      if (count < 0) this.#explain(events);
      for (let i = 0; i < count; i++) {
        this.#dispatch(view.getUint32(i * EVENT_SIZE + DATA_AT, true), view.getUint32(i * EVENT_SIZE, true));
      }
    }
  }

  /** A token that is gone belongs to a descriptor removed by an earlier callback of this round. */
  #dispatch(token: number, events: number): void {
    try {
      this.#callbacks.get(token)?.(events);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** errno stayed on the pool thread, so the call is made again here, where only a lasting failure fails again. */
  #explain(events: Uint8Array<ArrayBuffer>): void {
    if (libc().epoll_wait(this.#epoll.number, events, MAX_EVENTS, 0) >= 0) return;
    const errno = lastErrno();
    if (errno !== EINTR) throw new SyscallError("epoll_wait", errno);
  }

  /** Ends the loop; descriptors that are still watched stay the caller's. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isStopped) {
      this.#isStopped = true;
      check(Number(libc().write(this.#stop.number, new BigUint64Array([1n]), 8n)), "write", "eventfd");
    }
    await this.#loop;
    this.#callbacks.clear();
    this.#epoll[Symbol.dispose]();
    this.#stop[Symbol.dispose]();
  }
}
