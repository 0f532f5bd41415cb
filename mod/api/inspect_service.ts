import { create } from "@bufbuild/protobuf";
import { ControllerRuntimeDependenciesResponseSchema, DependencyEdgeType } from "./gen/inspect/inspect_pb.ts";
import { type Handler, handleUnary } from "./handler.ts";
import { CONTROLLER_DEPENDENCIES } from "./machine_methods.ts";
import { marked } from "./machine_service.ts";

/** How a controller and a resource type hang together. */
export interface DependencyEdge {
  readonly controller: string;
  readonly type: "outputExclusive" | "outputShared" | "inputStrong" | "inputWeak" | "inputDestroyReady";
  /** Empty for outputs. */
  readonly namespace: string;
  readonly resourceType: string;
  /** Empty unless an input is about one object. */
  readonly id: string;
}

const EDGE_TYPES: Readonly<Record<DependencyEdge["type"], DependencyEdgeType>> = {
  outputExclusive: DependencyEdgeType.OUTPUT_EXCLUSIVE,
  outputShared: DependencyEdgeType.OUTPUT_SHARED,
  inputStrong: DependencyEdgeType.INPUT_STRONG,
  inputWeak: DependencyEdgeType.INPUT_WEAK,
  inputDestroyReady: DependencyEdgeType.INPUT_DESTROY_READY,
};

/** `inspect.InspectService` over the edges of a running runtime. */
export function inspectHandlers(edges: () => readonly DependencyEdge[]): Handler[] {
  return [
    handleUnary(CONTROLLER_DEPENDENCIES, (_request, context) => {
      const wire = edges().map(({ controller, type, namespace, resourceType, id }) => ({
        controllerName: controller,
        edgeType: EDGE_TYPES[type],
        resourceNamespace: namespace,
        resourceType,
        resourceId: id,
      }));
      return create(ControllerRuntimeDependenciesResponseSchema, { messages: marked(context, { edges: wire }) });
    }),
  ];
}
