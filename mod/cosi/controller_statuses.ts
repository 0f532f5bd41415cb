import { field } from "../schema/mod.ts";
import type { ControllerState, ControllerStatus } from "./controller_status.ts";
import { defineResource } from "./definition.ts";

/** How a controller fares, as a resource; its id is the controller's name. */
export interface ControllerStatusSpec {
  state: ControllerState;
  runs: number;
  /** Runs that failed, ever. */
  restarts: number;
  /** Failures since the last success. */
  failures: number;
  /** Empty while there was no failure. */
  lastError: string;
  /** RFC 3339; empty while there was no failure. */
  lastErrorTime: string;
  /** RFC 3339; when the next try comes, in state `backoff`. */
  backoffUntil: string;
  /** Objects that wait, of a queue controller. */
  queueLength: number;
  wakeUps: number;
  reads: number;
  writes: number;
  /** All runs together, and the last one. */
  runMilliseconds: number;
  lastRunMilliseconds: number;
}

const STATES = { starting: 0, idle: 1, running: 2, backoff: 3, stopped: 4 } as const;

export const ControllerStatuses = defineResource<ControllerStatusSpec>()({
  type: "ControllerStatuses.cosi.monos.dev",
  namespace: "runtime",
  aliases: ["controllers", "controller"],
  columns: [
    { name: "State", path: "{.state}" },
    { name: "Runs", path: "{.runs}" },
    { name: "Restarts", path: "{.restarts}" },
    { name: "Queue", path: "{.queueLength}" },
    { name: "Last Run ms", path: "{.lastRunMilliseconds}" },
    { name: "Last Error", path: "{.lastError}" },
  ],
  fields: {
    state: field.oneOf(1, STATES),
    runs: field.int64(2),
    restarts: field.int64(3),
    failures: field.int64(4),
    lastError: field.string(5),
    lastErrorTime: field.timestamp(6),
    backoffUntil: field.timestamp(7),
    queueLength: field.int64(8),
    wakeUps: field.int64(9),
    reads: field.int64(10),
    writes: field.int64(11),
    runMilliseconds: field.float64(12),
    lastRunMilliseconds: field.float64(13),
  },
});

const timeText = (ms: number | undefined) => ms === undefined ? "" : new Date(ms).toISOString();
const hundredths = (ms: number) => Math.round(ms * 100) / 100;

/** The resource's spec of a status. */
export function controllerStatusSpec(status: ControllerStatus): ControllerStatusSpec {
  return {
    state: status.state,
    runs: status.runs,
    restarts: status.restarts,
    failures: status.failures,
    lastError: status.lastError ?? "",
    lastErrorTime: timeText(status.lastErrorAt),
    backoffUntil: timeText(status.backoffUntil),
    queueLength: status.queue.length,
    wakeUps: status.wakeUps,
    reads: status.reads,
    writes: status.writes,
    runMilliseconds: hundredths(status.runMs),
    lastRunMilliseconds: hundredths(status.lastRunMs),
  };
}
