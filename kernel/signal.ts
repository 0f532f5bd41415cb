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
