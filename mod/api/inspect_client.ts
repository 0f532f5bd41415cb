import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import type { DependencyEdge } from "../cosi/mod.ts";
import type { ApiClient } from "./client.ts";
import type { CallOptions } from "./grpc_call.ts";
import { DependencyEdgeType } from "./gen/inspect/inspect_pb.ts";
import { type NodeReply, replies } from "./machine_client.ts";
import { CONTROLLER_DEPENDENCIES } from "./machine_methods.ts";

const EDGE_TYPES: Readonly<Record<DependencyEdgeType, DependencyEdge["edge"]>> = {
  [DependencyEdgeType.OUTPUT_EXCLUSIVE]: "outputExclusive",
  [DependencyEdgeType.OUTPUT_SHARED]: "outputShared",
  [DependencyEdgeType.INPUT_STRONG]: "inputStrong",
  [DependencyEdgeType.INPUT_WEAK]: "inputWeak",
  [DependencyEdgeType.INPUT_DESTROY_READY]: "inputDestroyReady",
};

/** How controllers and types of resources hang together on a node. @throws {ApiError} */
export async function controllerDependencies(
  client: ApiClient,
  options?: CallOptions,
): Promise<NodeReply<DependencyEdge[]>[]> {
  const { messages } = await client.call(CONTROLLER_DEPENDENCIES, create(EmptySchema), options);
  return replies(
    messages,
    ({ edges }) =>
      edges.map(({ controllerName, edgeType, resourceNamespace, resourceType, resourceId }) => ({
        controller: controllerName,
        edge: EDGE_TYPES[edgeType] ?? "inputWeak", // a kind that is newer than this client
        namespace: resourceNamespace,
        type: resourceType,
        id: resourceId,
      })),
  );
}
