import type { Condition, Supervisor } from "../supervisor/mod.ts";
import type { Sequence } from "./sequence.ts";

/** Waiting for a config may take as long as nobody gives one. */
const FOREVER_MS = 2 ** 31 - 1;
const SERVICES_DEADLINE_MS = 70 * 60_000;

/**
 * The way up: waits for what the machine needs to know first, then starts all services that are loaded and waits until
 * each is up or has ended as it should. Going down may cut it short at any time.
 *
 * @param needs such as a machine config
 */
export function bootSequence(supervisor: Supervisor, needs: readonly Condition[] = []): Sequence {
  const isSettled = () =>
    supervisor.snapshots().every(({ id, state }) =>
      supervisor.isUp(id) || state === "Skipped" || state === "Finished" || state === "Failed"
    );
  const config = needs.map(({ description, wait }) => ({
    name: description,
    deadlineMs: FOREVER_MS,
    run: wait,
  }));
  return {
    name: "boot",
    phases: [
      ...(config.length === 0 ? [] : [{ name: "config", tasks: config }]),
      {
        name: "startEverything",
        tasks: [{
          name: "startAllServices",
          deadlineMs: SERVICES_DEADLINE_MS,
          async run(signal) {
            supervisor.start();
            while (!isSettled() && !signal.aborted) await supervisor.changes.next(signal);
          },
        }],
      },
    ],
  };
}
