import { check } from "./ffi.ts";
import { libc } from "./libc.ts";

/** Numbers of the signals in use, include/uapi/asm-generic/signal.h. */
export const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGPWR: 30,
} as const;

/** Name of a signal in {@link SIGNALS}. */
export type SignalName = keyof typeof SIGNALS;

const SIG_UNBLOCK = 1;

/** `sigset_t` of glibc with these signals in it. */
export function signalSet(names: readonly SignalName[]): Uint8Array<ArrayBuffer> {
  const set = new Uint8Array(128);
  for (const name of names) {
    const bit = SIGNALS[name] - 1;
    set[bit >> 3] = (set[bit >> 3] ?? 0) | 1 << (bit & 7);
  }
  return set;
}

/** Lets the calling thread have signals that the program was started with blocked; those that wait come at once. */
export function unblockSignals(names: readonly SignalName[]): void {
  check(libc().sigprocmask(SIG_UNBLOCK, signalSet(names), null), "sigprocmask", names.join(", "));
}

/**
 * Calls back on the main thread for each burst of a signal, until disposed; equal signals may be merged.
 *
 * A signalfd would need the signal blocked in every thread, but Deno has started its pool threads before the first
 * line of the program runs, and those take a process-wide signal with its default action. So Deno's own handler (a
 * self-pipe in its event loop, nothing polls) stays in charge. As PID 1, a signal without a handler is dropped. A
 * listener alone does not keep the program alive; the reactor does.
 */
export function onSignals(signals: readonly Deno.Signal[], callback: (signal: Deno.Signal) => void): Disposable {
  const undo = new DisposableStack();
  for (const signal of signals) {
    const listener = () => callback(signal);
    Deno.addSignalListener(signal, listener);
    undo.defer(() => Deno.removeSignalListener(signal, listener));
  }
  return undo;
}
