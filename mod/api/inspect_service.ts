import { create } from "@bufbuild/protobuf";
import type { DependencyEdge } from "../cosi/mod.ts";
import { ControllerRuntimeDependenciesResponseSchema, DependencyEdgeType } from "./gen/inspect/inspect_pb.ts";
import { type Handler, handleUnary } from "./handler.ts";
import { CONTROLLER_DEPENDENCIES } from "./machine_methods.ts";
import { marked } from "./machine_service.ts";

const EDGE_TYPES: Readonly<Record<DependencyEdge["edge"], DependencyEdgeType>> = {
  outputExclusive: DependencyEdgeType.OUTPUT_EXCLUSIVE,
  outputShared: DependencyEdgeType.OUTPUT_SHARED,
  inputStrong: DependencyEdgeType.INPUT_STRONG,
  inputWeak: DependencyEdgeType.INPUT_WEAK,
  inputDestroyReady: DependencyEdgeType.INPUT_DESTROY_READY,
  // The protocol has no words for queue controllers; these are what their inputs may do.
  inputQPrimary: DependencyEdgeType.INPUT_STRONG,
  inputQMapped: DependencyEdgeType.INPUT_STRONG,
  inputQMappedDestroyReady: DependencyEdgeType.INPUT_DESTROY_READY,
};

/** `inspect.InspectService` over the edges of a running runtime. */
export function inspectHandlers(edges: () => readonly DependencyEdge[]): Handler[] {
  return [
    handleUnary(CONTROLLER_DEPENDENCIES, (_request, context) => {
      const wire = edges().map(({ controller, edge, namespace, type, id }) => ({
        controllerName: controller,
        edgeType: EDGE_TYPES[edge],
        resourceNamespace: namespace,
        resourceType: type,
        resourceId: id,
      }));
      return create(ControllerRuntimeDependenciesResponseSchema, { messages: marked(context, { edges: wire }) });
    }),
  ];
}
