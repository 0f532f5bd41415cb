import { create } from "@bufbuild/protobuf";
import { durationFromMs, EmptySchema, timestampMs } from "@bufbuild/protobuf/wkt";
import type { EventPayload, EventQuery, ServiceHealth } from "../supervisor/mod.ts";
import type { ApiClient } from "./client.ts";
import type { CallOptions } from "./grpc_call.ts";
import { ApiError, codeNameOf } from "./errors.ts";
import { decodePayload, healthFromWire } from "./event_codec.ts";
import type { Metadata } from "./gen/common/common_pb.ts";
import { ApplyConfigurationRequestSchema } from "./gen/machine/configuration_pb.ts";
import { EventsRequestSchema } from "./gen/machine/event_pb.ts";
import { LogsRequestSchema } from "./gen/machine/log_pb.ts";
import { RebootRequestSchema, ShutdownRequestSchema } from "./gen/machine/sequence_pb.ts";
import {
  type ServiceInfo,
  ServiceRestartRequestSchema,
  ServiceStartRequestSchema,
  ServiceStopRequestSchema,
} from "./gen/machine/service_pb.ts";
import type { ApplyRequest, ApplyResult, LogOptions, RebootMode, VersionInfo } from "./machine_backend.ts";
import { applyModeOf, applyModeToWire, MACHINE_METHODS as METHODS, rebootModeToWire } from "./machine_methods.ts";

/** What one node answered. A call over several nodes gives one for each that was reached or not. */
export interface NodeReply<T> {
  /** The name under which it was asked with `nodes`; empty when the caller did not use that. */
  readonly node: string;
  readonly value: T;
}

/** A service as a client sees it. */
export interface ServiceView {
  readonly id: string;
  readonly state: string;
  readonly health: ServiceHealth;
  /** Oldest first. */
  readonly history: readonly { readonly state: string; readonly message: string; readonly timeMs: number }[];
}

/** What a service can be asked to do. */
export type ServiceAction = "start" | "stop" | "restart";

/** An event as a client sees it. */
export interface EventView {
  readonly id: string;
  readonly actorId: string;
  /** Undefined for a kind that this client does not know. */
  readonly payload: EventPayload | undefined;
}

/** Calls of `machine.MachineService`, with plain data on both sides. Every call may throw an {@link ApiError}. */
export class MachineClient {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async version(options?: CallOptions): Promise<NodeReply<VersionInfo>[]> {
    const { messages } = await this.#client.call(METHODS.version, create(EmptySchema), options);
    return replies(messages, ({ version, platform }) => ({
      tag: version?.tag ?? "",
      sha: version?.sha ?? "",
      built: version?.built ?? "",
      runtime: version?.goVersion ?? "",
      os: version?.os ?? "",
      arch: version?.arch ?? "",
      platform: platform?.name ?? "",
      mode: platform?.mode ?? "",
    }));
  }

  async hostname(options?: CallOptions): Promise<NodeReply<string>[]> {
    const { messages } = await this.#client.call(METHODS.hostname, create(EmptySchema), options);
    return replies(messages, ({ hostname }) => hostname);
  }

  async services(options?: CallOptions): Promise<NodeReply<ServiceView[]>[]> {
    const { messages } = await this.#client.call(METHODS.serviceList, create(EmptySchema), options);
    return replies(messages, ({ services }) => services.map(serviceView));
  }

  /** Answers with what the node says of it. */
  async serviceAction(action: ServiceAction, id: string, options?: CallOptions): Promise<NodeReply<string>[]> {
    const client = this.#client;
    switch (action) {
      case "start": {
        const request = create(ServiceStartRequestSchema, { id });
        return replies((await client.call(METHODS.serviceStart, request, options)).messages, ({ resp }) => resp);
      }
      case "stop": {
        const request = create(ServiceStopRequestSchema, { id });
        return replies((await client.call(METHODS.serviceStop, request, options)).messages, ({ resp }) => resp);
      }
      case "restart": {
        const request = create(ServiceRestartRequestSchema, { id });
        return replies((await client.call(METHODS.serviceRestart, request, options)).messages, ({ resp }) => resp);
      }
    }
  }

  /** Bytes of a service's log; leaving the loop ends the call. */
  async *logs(
    id: string,
    { follow, tailLines = -1 }: Omit<LogOptions, "signal">,
    options?: CallOptions,
  ): AsyncGenerator<NodeReply<Uint8Array>, void> {
    const request = create(LogsRequestSchema, { namespace: "system", id, follow, tailLines });
    for await (const message of this.#client.stream(METHODS.logs, request, options)) {
      yield* replies([message], ({ bytes }) => bytes);
    }
  }

  /** Past events that the query asks for, then new ones; leaving the loop ends the call. */
  async *events(query: EventQuery = {}, options?: CallOptions): AsyncGenerator<NodeReply<EventView>, void> {
    const { tailEvents = 0, tailId = "", tailSeconds = 0, actorId: withActorId = "" } = query;
    const request = create(EventsRequestSchema, { tailEvents, tailId, tailSeconds, withActorId });
    for await (const message of this.#client.stream(METHODS.events, request, options)) {
      const { id, actorId, data } = message;
      if (data !== undefined) yield* replies([message], () => ({ id, actorId, payload: decodePayload(data) }));
      else replies([message], () => undefined); // the first one, which says that the call is established
    }
  }

  async applyConfiguration(request: ApplyRequest, options?: CallOptions): Promise<NodeReply<ApplyResult>[]> {
    const { data, mode, dryRun, tryTimeoutMs } = request;
    const wire = create(ApplyConfigurationRequestSchema, {
      data,
      mode: applyModeToWire(mode),
      dryRun,
      tryModeTimeout: durationFromMs(tryTimeoutMs),
    });
    const { messages } = await this.#client.call(METHODS.applyConfiguration, wire, options);
    return replies(messages, ({ mode, modeDetails, warnings }) => ({ mode: applyModeOf(mode), modeDetails, warnings }));
  }

  /** Answers with the actor id, which the events of the sequence carry. */
  async reboot(mode: RebootMode, options?: CallOptions): Promise<NodeReply<string>[]> {
    const request = create(RebootRequestSchema, { mode: rebootModeToWire(mode) });
    const { messages } = await this.#client.call(METHODS.reboot, request, options);
    return replies(messages, ({ actorId }) => actorId);
  }

  /** Answers as {@link reboot} does. */
  async shutdown({ force }: { readonly force: boolean }, options?: CallOptions): Promise<NodeReply<string>[]> {
    const { messages } = await this.#client.call(METHODS.shutdown, create(ShutdownRequestSchema, { force }), options);
    return replies(messages, ({ actorId }) => actorId);
  }
}

/** What each node answered. @throws {ApiError} what a node that could not answer reports in its message. */
export function replies<M extends { metadata?: Metadata | undefined }, T>(
  messages: readonly M[],
  read: (message: M) => T,
): NodeReply<T>[] {
  return messages.map((message) => {
    const { hostname: node = "", error = "", status } = message.metadata ?? {};
    if (error !== "" || status !== undefined) {
      const text = status === undefined || status.message === "" ? error : status.message;
      throw new ApiError(codeNameOf(status?.code), node === "" ? text : `${node}: ${text}`);
    }
    return { node, value: read(message) };
  });
}

function serviceView({ id, state, events, health }: ServiceInfo): ServiceView {
  const history = (events?.events ?? []).map(({ state, msg, ts }) => ({
    state,
    message: msg,
    timeMs: ts === undefined ? 0 : timestampMs(ts),
  }));
  return { id, state, health: healthFromWire(health), history };
}
