import { ApiError } from "./errors.ts";

/** Services whose answers name the node they come from, so that `nodes` may gather several. */
const GATHERING = new Set([
  "machine.MachineService",
  "cluster.ClusterService",
  "inspect.InspectService",
  "storage.StorageService",
  "time.TimeService",
]);

/** What the caller's metadata says about the node that shall answer. */
export interface Target {
  /** Values of `node`: the answer is passed on as it is. */
  readonly node: readonly string[];
  /** Values of `nodes`: each message of the answer is marked with the node it comes from. */
  readonly nodes: readonly string[];
}

/**
 * The names under which `nodes` asked for this node, without doubles; empty when nothing or only `node` was asked.
 * @param isLocal whether a name or address is this node's own.
 * @throws {ApiError} INVALID_ARGUMENT for metadata that cannot be served, UNAVAILABLE for another node.
 */
export function askedAs(path: string, { node, nodes }: Target, isLocal: (name: string) => boolean): readonly string[] {
  if (node.length === 0 && nodes.length === 0) return [];
  if (node.length > 1 || (node.length > 0 && nodes.length > 0)) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      `Cannot choose a node: metadata "node" must hold exactly one, without "nodes"`,
    );
  }
  const service = path.slice(1, path.lastIndexOf("/"));
  if (nodes.length > 0 && !GATHERING.has(service)) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      `Cannot ask several nodes: "${service}" takes metadata "node" with one node, not "nodes"`,
    );
  }
  const foreign = [...node, ...nodes].filter((name) => !isLocal(name));
  if (foreign.length > 0) {
    const names = foreign.map((name) => `"${name}"`).join(", ");
    throw new ApiError(
      "UNAVAILABLE",
      `Cannot reach ${names} through this node: it does not forward requests to other nodes yet; name that node as the endpoint`,
    );
  }
  return [...new Set(nodes)];
}
