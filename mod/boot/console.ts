import { type Fd, O_APPEND, O_NOCTTY, O_NONBLOCK, O_WRONLY, openFd, writeFd } from "../../kernel/fd.ts";
import { EPOLLOUT, type Reactor } from "../../kernel/reactor.ts";
import type { LogBuffer } from "../supervisor/mod.ts";

/** The kernel shows 6 and below on its console by default; ours are written there directly, so they go in as debug. */
const KMSG_PREFIX = "<7>monos: ";
const KMSG_LINE_BYTES = 976;
/** What a console that takes nothing has to catch up with; the log buffer and the kernel's ring have all of it. */
const BACKLOG_BYTES = 64 << 10;
const encoder = new TextEncoder();

/**
 * Where the program itself logs: descriptor 1 (the console that the kernel or the wrapper has opened), its own log
 * buffer, and in a machine the kernel's ring too, so that `dmesg` has both in one order.
 */
export class Console implements Disposable {
  readonly #log: LogBuffer;
  readonly #output: number;
  #kmsg: Fd | undefined;
  #line: PatientLine | undefined;

  /** @param output descriptor of the console; it stays the caller's */
  constructor(log: LogBuffer, output = 1) {
    this.#log = log;
    this.#output = output;
  }

  /** From now on, lines go into the kernel's ring too. Does nothing if /dev/kmsg cannot be opened. */
  useKernelLog(): void {
    try {
      this.#kmsg = openFd("/dev/kmsg", O_WRONLY);
      Deno.writeTextFileSync("/proc/sys/kernel/printk_devkmsg", "on\n", { create: false }); // no rate limit
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.log(`Kernel log is not used: ${error.message}`);
    }
  }

  /**
   * From now on nobody waits for the console: one that takes nothing, such as a serial line on which a Ctrl-S was
   * typed, gets its lines when it takes them again.
   */
  neverWait(reactor: Reactor): void {
    try {
      // opened anew: others have the same descriptor, and may count on it that it blocks
      const output = openFd(`/proc/self/fd/${this.#output}`, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY);
      this.#line = new PatientLine(output, reactor);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.log(`The console may hold the program up: ${error.message}`); // a socket, or nothing at all
    }
  }

  /** Writes one line or several, each with the time. Never throws: there is nowhere left to say so. */
  log(text: string): void {
    const time = new Date().toISOString();
    for (const line of text.split("\n")) {
      const bytes = encoder.encode(`${time} ${line}\n`);
      this.#log.write(bytes);
      if (this.#line === undefined) tryWrite(this.#output, bytes);
      else this.#line.write(bytes);
      if (this.#kmsg === undefined) continue;
      tryWrite(this.#kmsg.number, encoder.encode(KMSG_PREFIX + line).subarray(0, KMSG_LINE_BYTES));
    }
  }

  [Symbol.dispose](): void {
    this.#kmsg?.[Symbol.dispose]();
    this.#kmsg = undefined;
    this.#line?.[Symbol.dispose]();
    this.#line = undefined;
  }
}

/** A descriptor that is written to when it takes something; lines beyond a backlog are left out, and counted. */
class PatientLine implements Disposable {
  readonly #output: Fd;
  readonly #reactor: Reactor;
  #backlog: Uint8Array<ArrayBuffer>[] = [];
  #backlogBytes = 0;
  #left = 0;
  #wait: Disposable | undefined;

  /** @param output non-blocking; closed with this */
  constructor(output: Fd, reactor: Reactor) {
    this.#output = output;
    this.#reactor = reactor;
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#backlogBytes + bytes.length > BACKLOG_BYTES) this.#left++;
    else {
      this.#tellLeft();
      this.#add(bytes);
      if (this.#wait === undefined) this.#flush();
    }
  }

  #add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#backlog.push(bytes);
    this.#backlogBytes += bytes.length;
  }

  #tellLeft(): void {
    if (this.#left === 0) return;
    this.#add(encoder.encode(`${new Date().toISOString()} ${this.#left} lines are not shown here\n`));
    this.#left = 0;
  }

  #flush(): void {
    for (let bytes = this.#backlog.shift(); bytes !== undefined; bytes = this.#backlog.shift()) {
      const count = tryWrite(this.#output.number, bytes);
      this.#backlogBytes -= count;
      if (count < bytes.length) {
        this.#backlog.unshift(bytes.subarray(count));
        return this.#waitForRoom();
      }
      if (this.#backlog.length === 0) this.#tellLeft();
    }
    this.#wait?.[Symbol.dispose]();
    this.#wait = undefined;
  }

  #waitForRoom(): void {
    try {
      this.#wait ??= this.#reactor.add(this.#output.number, EPOLLOUT, () => this.#flush());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#backlog = []; // a file on a full disk, which cannot be waited for
      this.#backlogBytes = 0;
    }
  }

  [Symbol.dispose](): void {
    this.#wait?.[Symbol.dispose]();
    this.#wait = undefined;
    this.#output[Symbol.dispose]();
  }
}

/** Bytes that were taken; all of them, where it fails. */
function tryWrite(fd: number, bytes: Uint8Array<ArrayBuffer>): number {
  try {
    return writeFd(fd, bytes) ?? 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error; // a console that hung up, or is not there, must not end PID 1
    return bytes.length;
  }
}
