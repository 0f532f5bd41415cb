import { type Fd, O_WRONLY, openFd, writeFd } from "../../kernel/fd.ts";
import type { LogBuffer } from "../supervisor/mod.ts";

/** The kernel shows 6 and below on its console by default; ours are written there directly, so they go in as debug. */
const KMSG_PREFIX = "<7>monos: ";
const KMSG_LINE_BYTES = 976;
const encoder = new TextEncoder();

/**
 * Where the program itself logs: descriptor 1 (the console that the kernel or the wrapper has opened), its own log
 * buffer, and in a machine the kernel's ring too, so that `dmesg` has both in one order.
 */
export class Console {
  readonly #log: LogBuffer;
  readonly #output: number;
  #kmsg: Fd | undefined;

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

  /** Writes one line or several, each with the time. Never throws: there is nowhere left to say so. */
  log(text: string): void {
    const time = new Date().toISOString();
    for (const line of text.split("\n")) {
      const bytes = encoder.encode(`${time} ${line}\n`);
      this.#log.write(bytes);
      this.#write(this.#output, bytes);
      if (this.#kmsg === undefined) continue;
      this.#write(this.#kmsg.number, encoder.encode(KMSG_PREFIX + line).subarray(0, KMSG_LINE_BYTES));
    }
  }

  #write(fd: number, bytes: Uint8Array<ArrayBuffer>): void {
    try {
      writeFd(fd, bytes);
    } catch (error) {
      if (!(error instanceof Error)) throw error; // a console that hung up, or is not there, must not end PID 1
    }
  }

  [Symbol.dispose](): void {
    this.#kmsg?.[Symbol.dispose]();
    this.#kmsg = undefined;
  }
}
