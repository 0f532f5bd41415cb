import { ERRNO_NAMES } from "./errno.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The functions of one library, as `Deno.dlopen` types them. */
export type Symbols<S extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<S>["symbols"];

/**
 * A shared library whose functions are each looked up at their first use, never at import: binding one takes 0.1 ms,
 * and a start uses few of them.
 *
 * @param name file name the dynamic linker finds, e.g. `libmnl.so.0`
 * @param symbols prototypes by C name
 */
export function library<const S extends Deno.ForeignLibraryInterface>(name: string, symbols: S): () => Symbols<S> {
  const bound = {} as Symbols<S>;
  for (const [symbol, prototype] of Object.entries(symbols)) {
    Object.defineProperty(bound, symbol, {
      configurable: true,
      get() {
        errnoView(); // dlopen changes errno, so nothing may be opened between a failed call and the look at errno
        const value = Deno.dlopen(name, { [symbol]: prototype }).symbols[symbol];
        Object.defineProperty(bound, symbol, { value });
        return value;
      },
    });
  }
  return () => bound;
}

let errnoLocation: Deno.UnsafePointerView | undefined;

/** glibc keeps errno at one place a thread, and a Deno isolate stays on one thread. */
function errnoView(): Deno.UnsafePointerView {
  if (errnoLocation === undefined) {
    const libc = Deno.dlopen("libc.so.6", {
      // int *__errno_location(void)
      __errno_location: { parameters: [], result: "pointer" },
    });
    const pointer = libc.symbols.__errno_location();
    if (pointer === null) throw new TypeError("Cannot find errno: libc gave no location");
    errnoLocation = new Deno.UnsafePointerView(pointer);
  }
  return errnoLocation;
}

/**
 * errno of the calling thread. Only meaningful directly after a call that reported failure, and never after a
 * `nonblocking` call, which ran on another thread.
 */
export function lastErrno(): number {
  return errnoView().getInt32();
}

/** A call into the kernel or a C library that failed. */
export class SyscallError extends Error {
  override readonly name: string = "SyscallError";
  /** C name of the function, e.g. `mount`. */
  readonly call: string;
  /** Positive number of include/uapi/asm-generic/errno.h. */
  readonly errno: number;
  /** Name of the number, e.g. `EPERM`. */
  readonly code: string;

  /** @param thing what the call was about, for the message; strings in double quotes */
  constructor(call: string, errno: number, thing = "", state = errnoName(errno)) {
    super(`Cannot ${call}${thing === "" ? "" : ` ${thing}`}: ${state}`);
    this.call = call;
    this.errno = errno;
    this.code = errnoName(errno);
  }
}

/** `EPERM` for 1; numbers that have no name read like `E4711`. */
export function errnoName(errno: number): string {
  return ERRNO_NAMES[errno] ?? `E${errno}`;
}

/** The error of the call that has just failed; reads errno, so it has to be the very next thing done. */
export function lastError(call: string, thing = ""): SyscallError {
  return new SyscallError(call, lastErrno(), thing);
}

/**
 * Hands a result through, unless it is negative.
 *
 * @throws {SyscallError} with errno as it is now.
 */
export function check(result: number, call: string, thing = ""): number {
  if (result < 0) throw lastError(call, thing);
  return result;
}

/** Bytes of a C string, the final NUL included. */
export function cstring(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${text}\0`);
}

/** The text up to the first NUL, or to the end. */
export function fromCstring(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** A NULL-terminated `char *[]`, with the strings that it points to; keep the object until the call is over. */
export class CstringArray {
  /** The array of pointers, to be passed as `buffer`. */
  readonly pointers: BigUint64Array<ArrayBuffer>;
  readonly #strings: readonly Uint8Array<ArrayBuffer>[];

  constructor(texts: readonly string[]) {
    this.#strings = texts.map(cstring);
    this.pointers = new BigUint64Array(texts.length + 1);
    for (const [i, bytes] of this.#strings.entries()) {
      this.pointers[i] = Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
    }
  }
}
