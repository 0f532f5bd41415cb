import type { ControllerStatus } from "./controller_status.ts";

const NAMES = [
  "controller_crashes",
  "controller_wakeups",
  "controller_reads",
  "controller_writes",
  "qcontroller_crashes",
  "qcontroller_skips",
  "qcontroller_requeues",
  "qcontroller_processed",
  "qcontroller_mapped_in",
  "qcontroller_mapped_out",
  "qcontroller_queue_length",
  "qcontroller_map_busy",
  "qcontroller_reconcile_busy",
  "cached_resources",
  "reconcile_cycles",
  "reconcile_input_items",
  "reconcile_busy",
] as const;

/**
 * Name of a counter. The busy ones are seconds; `reconcile_…` count the runs of controllers that are no queues, and
 * what transforms among them went through.
 */
export type MetricName = (typeof NAMES)[number];
/** Values by controller, `cached_resources` by type. */
export type RuntimeMetrics = Readonly<Record<MetricName, ReadonlyMap<string, number>>>;

/** One controller's numbers. */
interface Counted {
  readonly status: ControllerStatus;
  readonly isQueue: boolean;
  /** Of a transform. */
  readonly inputItems: number | undefined;
}

/** The counters of cosi.md 3-I. */
export function runtimeMetrics(
  counted: Iterable<Counted>,
  caches: Iterable<{ readonly type: string; readonly size: number }>,
): RuntimeMetrics {
  const metrics = Object.fromEntries(NAMES.map((name) => [name, new Map<string, number>()])) as Record<
    MetricName,
    Map<string, number>
  >;
  for (const { status, isQueue, inputItems } of counted) {
    const values = isQueue ? queueValues(status) : loopValues(status, inputItems);
    for (const [name, value] of Object.entries(values)) {
      metrics[name as MetricName].set(status.name, value);
    }
  }
  for (const { type, size } of caches) {
    metrics.cached_resources.set(type, (metrics.cached_resources.get(type) ?? 0) + size);
  }
  return metrics;
}

type Values = Partial<Record<MetricName, number>>;

function loopValues({ restarts, wakeUps, reads, writes, runs, runMs }: ControllerStatus, inputItems?: number): Values {
  return {
    controller_reads: reads,
    controller_writes: writes,
    controller_crashes: restarts,
    controller_wakeups: wakeUps,
    reconcile_cycles: runs,
    reconcile_busy: runMs / 1000,
    ...(inputItems === undefined ? {} : { reconcile_input_items: inputItems }),
  };
}

function queueValues({ restarts, reads, writes, runs, runMs, queue }: ControllerStatus): Values {
  return {
    controller_reads: reads,
    controller_writes: writes,
    qcontroller_crashes: restarts,
    qcontroller_skips: queue.skips,
    qcontroller_requeues: queue.requeues,
    qcontroller_processed: runs,
    qcontroller_mapped_in: queue.mappedIn,
    qcontroller_mapped_out: queue.mappedOut,
    qcontroller_queue_length: queue.length,
    qcontroller_map_busy: queue.mapMs / 1000,
    qcontroller_reconcile_busy: runMs / 1000,
  };
}
