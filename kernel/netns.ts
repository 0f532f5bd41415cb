import type { Fd } from "./fd.ts";
import { openNamespace, setNamespace, unshare } from "./namespace.ts";

/**
 * An empty network namespace that the main thread is in until disposed. Sockets opened meanwhile belong to it; its
 * links and everything on them go when the last of those sockets is closed. Calls that Deno runs on pool threads
 * (`nonblocking` FFI, name lookups) stay outside. Needs root.
 */
export class Netns implements Disposable {
  #old: Fd;
  #current: Fd;
  #isEntered = false;

  /** @throws {SyscallError} EPERM */
  constructor() {
    using undo = new DisposableStack();
    this.#old = undo.use(openNamespace("net"));
    unshare("net");
    this.#isEntered = true;
    undo.defer(() => this.#leave());
    this.#current = openNamespace("net");
    undo.move();
  }

  /** A descriptor of this namespace, for `setLink({ netnsFd })`; owned by this object. */
  get fd(): number {
    return this.#current.number;
  }

  /** Runs `inside` in the namespace that was there before. */
  outside<T>(inside: () => T): T {
    setNamespace(this.#old.number, "net");
    try {
      return inside();
    } finally {
      setNamespace(this.#current.number, "net");
    }
  }

  #leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    setNamespace(this.#old.number, "net");
  }

  [Symbol.dispose](): void {
    this.#leave();
    this.#current[Symbol.dispose]();
    this.#old[Symbol.dispose]();
  }
}
