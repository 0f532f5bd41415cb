import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { ApiError } from "./errors.ts";
import { DataSchema } from "./gen/common/common_pb.ts";
import { ControllerRuntimeDependenciesResponseSchema } from "./gen/inspect/inspect_pb.ts";
import {
  ApplyConfigurationRequest_Mode,
  ApplyConfigurationRequestSchema,
  ApplyConfigurationResponseSchema,
} from "./gen/machine/configuration_pb.ts";
import { EventSchema, EventsRequestSchema } from "./gen/machine/event_pb.ts";
import { ReadRequestSchema } from "./gen/machine/file_pb.ts";
import { LogsRequestSchema } from "./gen/machine/log_pb.ts";
import {
  RebootRequest_Mode,
  RebootRequestSchema,
  RebootResponseSchema,
  ShutdownRequestSchema,
  ShutdownResponseSchema,
} from "./gen/machine/sequence_pb.ts";
import {
  ServiceListResponseSchema,
  ServiceRestartRequestSchema,
  ServiceRestartResponseSchema,
  ServiceStartRequestSchema,
  ServiceStartResponseSchema,
  ServiceStopRequestSchema,
  ServiceStopResponseSchema,
} from "./gen/machine/service_pb.ts";
import { HostnameResponseSchema, VersionResponseSchema } from "./gen/machine/version_pb.ts";
import type { ApplyMode, RebootMode } from "./machine_backend.ts";
import { stream, unary } from "./method.ts";

const SERVICE = "/machine.MachineService";

/** Calls of `machine.MachineService` that clients make. */
export const MACHINE_METHODS = {
  applyConfiguration: unary(
    `${SERVICE}/ApplyConfiguration`,
    ApplyConfigurationRequestSchema,
    ApplyConfigurationResponseSchema,
  ),
  events: stream(`${SERVICE}/Events`, EventsRequestSchema, EventSchema),
  hostname: unary(`${SERVICE}/Hostname`, EmptySchema, HostnameResponseSchema),
  logs: stream(`${SERVICE}/Logs`, LogsRequestSchema, DataSchema),
  reboot: unary(`${SERVICE}/Reboot`, RebootRequestSchema, RebootResponseSchema),
  serviceList: unary(`${SERVICE}/ServiceList`, EmptySchema, ServiceListResponseSchema),
  serviceRestart: unary(`${SERVICE}/ServiceRestart`, ServiceRestartRequestSchema, ServiceRestartResponseSchema),
  serviceStart: unary(`${SERVICE}/ServiceStart`, ServiceStartRequestSchema, ServiceStartResponseSchema),
  serviceStop: unary(`${SERVICE}/ServiceStop`, ServiceStopRequestSchema, ServiceStopResponseSchema),
  shutdown: unary(`${SERVICE}/Shutdown`, ShutdownRequestSchema, ShutdownResponseSchema),
  version: unary(`${SERVICE}/Version`, EmptySchema, VersionResponseSchema),
};

/** Calls of `machine.MachineService` that show files. */
export const FILE_METHODS = {
  read: stream(`${SERVICE}/Read`, ReadRequestSchema, DataSchema),
};

/** The graph of controllers and resources. */
export const CONTROLLER_DEPENDENCIES = unary(
  "/inspect.InspectService/ControllerRuntimeDependencies",
  EmptySchema,
  ControllerRuntimeDependenciesResponseSchema,
);

const APPLY_MODES: Readonly<Record<ApplyMode, ApplyConfigurationRequest_Mode>> = {
  auto: ApplyConfigurationRequest_Mode.AUTO,
  "no-reboot": ApplyConfigurationRequest_Mode.NO_REBOOT,
  staged: ApplyConfigurationRequest_Mode.STAGED,
  try: ApplyConfigurationRequest_Mode.TRY,
};
const REBOOT_MODES: Readonly<Record<RebootMode, RebootRequest_Mode>> = {
  default: RebootRequest_Mode.DEFAULT,
  powercycle: RebootRequest_Mode.POWERCYCLE,
  force: RebootRequest_Mode.FORCE,
};

/** The mode as it travels. */
export function applyModeToWire(mode: ApplyMode): ApplyConfigurationRequest_Mode {
  return APPLY_MODES[mode];
}

/** @throws {ApiError} INVALID_ARGUMENT for an unknown mode, and for the one that old clients had as default. */
export function applyModeOf(wire: ApplyConfigurationRequest_Mode): ApplyMode {
  const mode = (Object.keys(APPLY_MODES) as ApplyMode[]).find((name) => APPLY_MODES[name] === wire);
  if (mode !== undefined) return mode;
  throw new ApiError("INVALID_ARGUMENT", `Cannot apply a config in mode ${wire}: use auto, no-reboot, staged or try`);
}

/** The mode as it travels. */
export function rebootModeToWire(mode: RebootMode): RebootRequest_Mode {
  return REBOOT_MODES[mode];
}

/** @throws {ApiError} INVALID_ARGUMENT for an unknown mode. */
export function rebootModeOf(wire: RebootRequest_Mode): RebootMode {
  const mode = (Object.keys(REBOOT_MODES) as RebootMode[]).find((name) => REBOOT_MODES[name] === wire);
  if (mode !== undefined) return mode;
  throw new ApiError("INVALID_ARGUMENT", `Cannot reboot in mode ${wire}: use default, powercycle or force`);
}
