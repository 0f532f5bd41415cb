import { relative } from "node:path";
import { dist } from "../paths.ts";

/** A node that is up, as its user reaches it. */
export interface ReachableNode {
  /** Path of the talosconfig file with a client certificate for it. */
  talosconfig: string;
  /** Its own address: what `-n` takes. */
  node: string;
  /** `host:port` to connect to, where that is not the node's address itself. */
  endpoint?: string;
  /** Its files, and how to end it. */
  name: string;
}

/** Ends a task that started a node: where its API is, and three commands to try from the current folder. */
export function printHints(node: ReachableNode): void {
  console.log(hints(node, Deno.cwd()));
}

/** The text of {@link printHints}, with paths as seen from `folder`. */
export function hints({ talosconfig, node, endpoint, name }: ReachableNode, folder: string): string {
  const path = (absolute: string) => relative(folder, absolute);
  const target = endpoint === undefined ? `-n ${node}` : `-e ${endpoint} -n ${node}`;
  const monosctl = `${path(dist("monosctl"))} --talosconfig ${path(talosconfig)} ${target}`;
  return [
    "",
    `The node "${name}" is up. Its API: ${endpoint ?? `${node}:50000`} (gRPC, mutual TLS). Try:`,
    "",
    `  ${monosctl} get addresses`,
    `  ${monosctl} services`,
    `  ${monosctl} get links --watch`,
    "",
    `Its files: ${path(dist("nodes", name))}`,
  ].join("\n");
}
