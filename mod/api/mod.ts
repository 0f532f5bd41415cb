/**
 * The machine API: servers, clients, and who may do what.
 * @module
 */
export { ACCESS_RULES, authorize, ROLES, rolesFor } from "./access.ts";
export { type Catalog, clientRule } from "./access_filter.ts";
export { ApiClient, type ClientOptions } from "./client.ts";
export type { Caller, CallOptions, Following, StreamListener } from "./grpc_call.ts";
export { PlainClient } from "./plain_client.ts";
export { RemoteState, type RemoteStateOptions } from "./remote_state.ts";
export { API_PORT, type Endpoint, parseEndpoint } from "./endpoint.ts";
export { ApiError, type CodeName, codeOf, type ErrorRow } from "./errors.ts";
export { decodePayload } from "./event_codec.ts";
export { type CallContext, type Handler, handleStream, handleUnary, type StreamContext } from "./handler.ts";
export { controllerDependencies } from "./inspect_client.ts";
export { inspectHandlers } from "./inspect_service.ts";
export type {
  ApplyMode,
  ApplyRequest,
  ApplyResult,
  LogOptions,
  MachineBackend,
  RebootMode,
  VersionInfo,
} from "./machine_backend.ts";
export {
  type EventView,
  MachineClient,
  type NodeReply,
  type ServiceAction,
  type ServiceView,
} from "./machine_client.ts";
export { fileHandlers } from "./file_service.ts";
export { machineHandlers } from "./machine_service.ts";
export { type Codec, type Method, methodOf, stream, unary } from "./method.ts";
export { PlainServer, type PlainServerOptions } from "./plain_server.ts";
export { ResourceClient, type ResourceWatchOptions } from "./resource_client.ts";
export { type DefinitionLookup, ResourceCodec } from "./resource_codec.ts";
export { ApiServer, type ApiServerOptions, type ServerCertificates } from "./server.ts";
export { stateHandlers } from "./state_service.ts";
