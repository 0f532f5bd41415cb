import { type EventView, MachineClient } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "./flags.ts";
import { TableFormat } from "./table.ts";
import { openTargets } from "./targets.ts";

/** What `events` is asked for. */
export interface EventsOptions {
  /** How many past events; negative for all. */
  readonly tail: number;
  /** Id of the last event that is known. */
  readonly since: string | undefined;
  /** Past events of that time. */
  readonly durationMs: number;
  readonly actorId: string | undefined;
}

/** What an int32 on the wire holds: 68 years. */
const MAX_SECONDS = 0x7fffffff;

/** `events`: what happens on the nodes, until the user leaves. */
export async function runEvents(context: CommandContext, options: EventsOptions): Promise<number> {
  const { tail, since, durationMs, actorId } = options;
  if ([tail !== 0, since !== undefined, durationMs !== 0].filter(Boolean).length > 1) {
    throw new UsageError("Cannot choose past events: give only one of --tail, --since and --duration");
  }
  const query = {
    ...(tail !== 0 && { tailEvents: tail }),
    ...(since !== undefined && { tailId: since }),
    ...(durationMs !== 0 && { tailSeconds: Math.min(Math.ceil(durationMs / 1000), MAX_SECONDS) }),
    ...(actorId !== undefined && { actorId }),
  };
  using targets = await openTargets(context);
  const signal = context.interrupted();
  const table = new TableFormat([Math.max(...targets.all.map(({ node }) => node.length)), ...EVENT_WIDTHS]);
  context.stdout.write(table.lines([["NODE", "ID", "EVENT", "ACTOR", "SOURCE", "MESSAGE"]]));
  const { exitCode } = await targets.each(context, "follow the events of", async ({ node, client, options }) => {
    try {
      for await (const { value } of new MachineClient(client).events(query, { ...options, signal })) {
        context.stdout.write(table.lines([[node, ...eventCells(value)]]));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
  return exitCode;
}

/** Columns of an id, the longest of the usual kinds, an actor and a service, before any is known. */
const EVENT_WIDTHS = [20, 26, 20, 12];

const EVENT_NAMES = {
  sequence: "SequenceEvent",
  phase: "PhaseEvent",
  task: "TaskEvent",
  serviceState: "ServiceStateEvent",
  restart: "RestartEvent",
  configLoadError: "ConfigLoadErrorEvent",
  configValidationError: "ConfigValidationErrorEvent",
  address: "AddressEvent",
  machineStatus: "MachineStatusEvent",
} as const;

/** Id, kind, actor, what it is about, and what happened to it. */
export function eventCells({ id, payload, actorId }: EventView): string[] {
  if (payload === undefined) return [id, "unknown", actorId, "", "this program does not know its kind"];
  return [id, `machine.${EVENT_NAMES[payload.kind]}`, actorId, ...sourceAndMessage(payload)];
}

/** What an event is about, and what happened to it. */
export function sourceAndMessage(payload: NonNullable<EventView["payload"]>): [source: string, message: string] {
  switch (payload.kind) {
    case "sequence": {
      const { sequence, action, error } = payload;
      return [sequence, error === undefined ? action.toUpperCase() : `${error.code}: ${error.message}`];
    }
    case "phase":
      return [payload.phase, payload.action.toUpperCase()];
    case "task":
      return [payload.task, payload.action.toUpperCase()];
    case "serviceState":
      return [payload.service, `${payload.action.toUpperCase()}: ${payload.message}`];
    case "restart":
      return ["kernel", `reboot(2) with 0x${payload.command.toString(16)}`];
    case "configLoadError":
    case "configValidationError":
      return ["config", payload.error];
    case "address":
      return [payload.hostname, payload.addresses.join(",")];
    case "machineStatus": {
      const { stage, ready, unmet } = payload;
      const reasons = unmet.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
      return [stage, `ready: ${ready}${reasons === "" ? "" : `, unmet conditions: ${reasons}`}`];
    }
  }
}
