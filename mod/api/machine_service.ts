import { create } from "@bufbuild/protobuf";
import { type Duration, durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { EventQuery, ServiceSnapshot } from "../supervisor/mod.ts";
import { ApiError } from "./errors.ts";
import { encodePayload, healthToWire } from "./event_codec.ts";
import { DataSchema } from "./gen/common/common_pb.ts";
import { ApplyConfigurationResponseSchema } from "./gen/machine/configuration_pb.ts";
import { EventSchema, type EventsRequest } from "./gen/machine/event_pb.ts";
import { RebootResponseSchema, ShutdownResponseSchema } from "./gen/machine/sequence_pb.ts";
import { type ServiceInfo, ServiceInfoSchema, ServiceListResponseSchema } from "./gen/machine/service_pb.ts";
import { HostnameResponseSchema, VersionResponseSchema } from "./gen/machine/version_pb.ts";
import { type CallContext, type Handler, handleStream, handleUnary } from "./handler.ts";
import type { MachineBackend } from "./machine_backend.ts";
import { applyModeOf, applyModeToWire, MACHINE_METHODS as METHODS, rebootModeOf } from "./machine_methods.ts";

/** How long a config in mode `try` stays unless the caller says. */
const TRY_TIMEOUT_MS = 60_000;

/** The part of `machine.MachineService` that this node answers. */
export function machineHandlers(backend: MachineBackend): Handler[] {
  let isApplying = false;
  return [
    handleUnary(METHODS.version, (_request, context) => {
      const { tag, sha, built, runtime, os, arch, platform: name, mode } = backend.version();
      const version = { tag, sha, built, goVersion: runtime, os, arch };
      const message = { version, platform: { name, mode }, features: { rbac: true } };
      return create(VersionResponseSchema, { messages: marked(context, message) });
    }),
    handleUnary(METHODS.hostname, (_request, context) => {
      return create(HostnameResponseSchema, { messages: marked(context, { hostname: backend.hostname() }) });
    }),
    handleUnary(METHODS.serviceList, (_request, context) => {
      const services = backend.services().map(serviceToWire);
      return create(ServiceListResponseSchema, { messages: marked(context, { services }) });
    }),
    handleStream(METHODS.logs, async ({ id, follow, tailLines }, context) => {
      const options = { follow, tailLines: tailLines < 0 ? undefined : tailLines, signal: context.signal };
      for await (const bytes of backend.logs(id, options)) {
        const full = context.send(create(DataSchema, { bytes, ...mark(context) }));
        if (full !== undefined) await full;
        if (context.signal.aborted) return;
      }
    }),
    handleStream(METHODS.events, async (request, context) => {
      const events = backend.events(eventQueryOf(request), context.signal);
      context.send(create(EventSchema, mark(context))); // newer clients take the first, empty one as "established"
      for await (const { id, actorId, payload } of events) {
        const full = context.send(create(EventSchema, { id, actorId, data: encodePayload(payload), ...mark(context) }));
        if (full !== undefined) await full;
        if (context.signal.aborted) return;
      }
    }),
    handleUnary(METHODS.applyConfiguration, async ({ data, mode, dryRun, tryModeTimeout }, context) => {
      if (isApplying) {
        throw new ApiError("FAILED_PRECONDITION", "Cannot apply the config: another one is being applied");
      }
      isApplying = true;
      try {
        const tryTimeoutMs = timeoutOf(tryModeTimeout);
        const result = await backend.applyConfiguration({ data, mode: applyModeOf(mode), dryRun, tryTimeoutMs });
        const { modeDetails, warnings } = result;
        const message = { mode: applyModeToWire(result.mode), modeDetails, warnings: [...warnings] };
        return create(ApplyConfigurationResponseSchema, { messages: marked(context, message) });
      } finally {
        isApplying = false;
      }
    }),
    handleUnary(METHODS.reboot, ({ mode }, context) => {
      const actorId = backend.reboot(rebootModeOf(mode));
      return create(RebootResponseSchema, { messages: marked(context, { actorId }) });
    }),
    handleUnary(METHODS.shutdown, ({ force }, context) => {
      return create(ShutdownResponseSchema, { messages: marked(context, { actorId: backend.shutdown({ force }) }) });
    }),
  ];
}

/** The message once for every name under which the caller asked for this node, or once without a mark. */
export function marked<M extends object>(
  { askedAs }: CallContext,
  message: M,
): (M & { metadata?: { hostname: string } })[] {
  if (askedAs.length === 0) return [message];
  return askedAs.map((hostname) => ({ ...message, metadata: { hostname } }));
}

/** The mark of a streamed message. */
export function mark({ askedAs: [hostname] }: CallContext): { metadata?: { hostname: string } } {
  return hostname === undefined ? {} : { metadata: { hostname } };
}

function serviceToWire({ id, state, health, history }: ServiceSnapshot): ServiceInfo {
  const events = history.map(({ state, message, timeMs }) => ({ state, msg: message, ts: timestampFromMs(timeMs) }));
  return create(ServiceInfoSchema, { id, state, health: healthToWire(health), events: { events } });
}

/** The form of an event's id, xid. */
const EVENT_ID = /^[0-9a-v]{20}$/;

/** @throws {ApiError} INVALID_ARGUMENT when the request asks for past events in more than one way, or after no event. */
function eventQueryOf({ tailEvents, tailId, tailSeconds, withActorId }: EventsRequest): EventQuery {
  if (Number(tailEvents !== 0) + Number(tailId !== "") + Number(tailSeconds !== 0) > 1) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      "Cannot give past events: choose one of their number, the id of the last one known, or their age",
    );
  }
  if (tailId !== "" && !EVENT_ID.test(tailId)) {
    throw new ApiError("INVALID_ARGUMENT", `Cannot give past events: "${tailId}" is no id of an event`);
  }
  return {
    ...(tailEvents === 0 ? {} : { tailEvents }),
    ...(tailId === "" ? {} : { tailId }),
    ...(tailSeconds === 0 ? {} : { tailSeconds }),
    ...(withActorId === "" ? {} : { actorId: withActorId }),
  };
}

function timeoutOf(duration: Duration | undefined): number {
  return duration === undefined ? TRY_TIMEOUT_MS : durationMs(duration);
}
