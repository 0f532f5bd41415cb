import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Any, AnySchema, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { EventPayload, SequenceFailure, ServiceHealth, ServiceState } from "../supervisor/mod.ts";
import { Code } from "./gen/common/common_pb.ts";
import {
  AddressEventSchema,
  ConfigLoadErrorEventSchema,
  ConfigValidationErrorEventSchema,
  MachineStatusEvent_MachineStage,
  MachineStatusEventSchema,
  PhaseEvent_Action,
  PhaseEventSchema,
  RestartEventSchema,
  SequenceEvent_Action,
  SequenceEventSchema,
  ServiceStateEvent_Action,
  ServiceStateEventSchema,
  TaskEvent_Action,
  TaskEventSchema,
} from "./gen/machine/event_pb.ts";
import { type ServiceHealth as WireHealth, ServiceHealthSchema } from "./gen/machine/service_pb.ts";

/** What clients compare the type of an event with, in front of the message's name. */
const TYPE_PREFIX = "talos/runtime/";

const FAILURES: Readonly<Record<SequenceFailure["code"], Code>> = {
  fatal: Code.FATAL,
  locked: Code.LOCKED,
  canceled: Code.CANCELED,
};
const SEQUENCE_ACTIONS = {
  noop: SequenceEvent_Action.NOOP,
  start: SequenceEvent_Action.START,
  stop: SequenceEvent_Action.STOP,
} as const;
const SERVICE_ACTIONS: Readonly<Record<ServiceState, ServiceStateEvent_Action>> = {
  Initialized: ServiceStateEvent_Action.INITIALIZED,
  Preparing: ServiceStateEvent_Action.PREPARING,
  Waiting: ServiceStateEvent_Action.WAITING,
  Running: ServiceStateEvent_Action.RUNNING,
  Stopping: ServiceStateEvent_Action.STOPPING,
  Finished: ServiceStateEvent_Action.FINISHED,
  Failed: ServiceStateEvent_Action.FAILED,
  Skipped: ServiceStateEvent_Action.SKIPPED,
  Starting: ServiceStateEvent_Action.STARTING,
};

/** Stages by the words that resources use: `booting`, `shutting down`. */
const STAGES = new Map(
  Object.entries(MachineStatusEvent_MachineStage)
    .filter((entry): entry is [string, MachineStatusEvent_MachineStage] => typeof entry[1] === "number")
    .map(([name, stage]) => [name.toLowerCase().replace("_", " "), stage]),
);

/** An event's content as clients unpack it. */
export function encodePayload(payload: EventPayload): Any {
  switch (payload.kind) {
    case "sequence": {
      const { sequence, error } = payload;
      const action = SEQUENCE_ACTIONS[payload.action];
      const failure = error && { error: { code: FAILURES[error.code], message: error.message } };
      return pack(SequenceEventSchema, { sequence, action, ...failure });
    }
    case "phase": {
      const action = payload.action === "start" ? PhaseEvent_Action.START : PhaseEvent_Action.STOP;
      return pack(PhaseEventSchema, { phase: payload.phase, action });
    }
    case "task": {
      const action = payload.action === "start" ? TaskEvent_Action.START : TaskEvent_Action.STOP;
      return pack(TaskEventSchema, { task: payload.task, action });
    }
    case "serviceState": {
      const { service, message, health } = payload;
      const action = SERVICE_ACTIONS[payload.action];
      return pack(ServiceStateEventSchema, { service, message, action, health: healthToWire(health) });
    }
    case "restart":
      return pack(RestartEventSchema, { cmd: BigInt(payload.command) });
    case "configLoadError":
      return pack(ConfigLoadErrorEventSchema, { error: payload.error });
    case "configValidationError":
      return pack(ConfigValidationErrorEventSchema, { error: payload.error });
    case "address":
      return pack(AddressEventSchema, { hostname: payload.hostname, addresses: [...payload.addresses] });
    case "machineStatus": {
      const { stage, ready, unmet } = payload;
      const status = { ready, unmetConditions: unmet.map(({ name, reason }) => ({ name, reason })) };
      return pack(MachineStatusEventSchema, { stage: STAGES.get(stage) ?? 0, status });
    }
  }
}

function pack<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  return create(AnySchema, {
    typeUrl: TYPE_PREFIX + schema.typeName,
    value: toBinary(schema, create(schema, init) as MessageShape<D>),
  });
}

/** An event's content as it came; undefined for a kind that is not known here. @throws when its bytes are broken. */
export function decodePayload({ typeUrl, value }: Any): EventPayload | undefined {
  const read = READERS[typeUrl.startsWith(TYPE_PREFIX) ? typeUrl.slice(TYPE_PREFIX.length) : typeUrl];
  return read?.(value);
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => EventPayload>> = {
  [SequenceEventSchema.typeName]: (bytes) => {
    const { sequence, action, error } = fromBinary(SequenceEventSchema, bytes);
    const failure = error && { error: { code: keyOf(FAILURES, error.code) ?? "fatal", message: error.message } };
    return { kind: "sequence", sequence, action: keyOf(SEQUENCE_ACTIONS, action) ?? "noop", ...failure };
  },
  [PhaseEventSchema.typeName]: (bytes) => {
    const { phase, action } = fromBinary(PhaseEventSchema, bytes);
    return { kind: "phase", phase, action: action === PhaseEvent_Action.START ? "start" : "stop" };
  },
  [TaskEventSchema.typeName]: (bytes) => {
    const { task, action } = fromBinary(TaskEventSchema, bytes);
    return { kind: "task", task, action: action === TaskEvent_Action.START ? "start" : "stop" };
  },
  [ServiceStateEventSchema.typeName]: (bytes) => {
    const { service, action, message, health } = fromBinary(ServiceStateEventSchema, bytes);
    const state = keyOf(SERVICE_ACTIONS, action) ?? "Initialized";
    return { kind: "serviceState", service, action: state, message, health: healthFromWire(health) };
  },
  [RestartEventSchema.typeName]: (bytes) => {
    return { kind: "restart", command: Number(fromBinary(RestartEventSchema, bytes).cmd) };
  },
  [ConfigLoadErrorEventSchema.typeName]: (bytes) => {
    return { kind: "configLoadError", error: fromBinary(ConfigLoadErrorEventSchema, bytes).error };
  },
  [ConfigValidationErrorEventSchema.typeName]: (bytes) => {
    return { kind: "configValidationError", error: fromBinary(ConfigValidationErrorEventSchema, bytes).error };
  },
  [AddressEventSchema.typeName]: (bytes) => {
    const { hostname, addresses } = fromBinary(AddressEventSchema, bytes);
    return { kind: "address", hostname, addresses };
  },
  [MachineStatusEventSchema.typeName]: (bytes) => {
    const { stage, status } = fromBinary(MachineStatusEventSchema, bytes);
    const [name = "unknown"] = [...STAGES].find(([, number]) => number === stage) ?? [];
    const unmet = (status?.unmetConditions ?? []).map(({ name, reason }) => ({ name, reason }));
    return { kind: "machineStatus", stage: name, ready: status?.ready ?? false, unmet };
  },
};

function keyOf<K extends string, V>(table: Readonly<Record<K, V>>, value: V): K | undefined {
  return (Object.keys(table) as K[]).find((key) => table[key] === value);
}

/** Health as it travels. */
export function healthToWire({ unknown, healthy, lastMessage, lastChangeMs }: ServiceHealth): WireHealth {
  return create(ServiceHealthSchema, { unknown, healthy, lastMessage, lastChange: timestampFromMs(lastChangeMs) });
}

/** Health as it came; absent means that nothing is known. */
export function healthFromWire(health: WireHealth | undefined): ServiceHealth {
  if (health === undefined) return { unknown: true, healthy: false, lastMessage: "", lastChangeMs: 0 };
  const { unknown, healthy, lastMessage, lastChange } = health;
  return { unknown, healthy, lastMessage, lastChangeMs: lastChange === undefined ? 0 : timestampMs(lastChange) };
}
