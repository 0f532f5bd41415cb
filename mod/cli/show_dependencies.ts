import { ApiError, controllerDependencies, ResourceClient } from "../api/mod.ts";
import type { DependencyEdge } from "../cosi/mod.ts";
import type { CommandContext } from "./command.ts";
import { dotText, type GraphEdge, type LiveResource, mermaidText } from "./dependency_graph.ts";
import { typesOn } from "./get.ts";
import { openTargets, type Target } from "./targets.ts";

/** What `inspect dependencies` is asked for. */
export interface DependenciesOptions {
  readonly language: "dot" | "mermaid";
  /** Draw the resources that are there, each with its type. */
  readonly withResources: boolean;
}

/** `inspect dependencies`: the graph of controllers of all nodes together. */
export async function showDependencies(context: CommandContext, options: DependenciesOptions): Promise<number> {
  using targets = await openTargets(context);
  const { answers, exitCode } = await targets.each(context, "inspect", async (target) => {
    const edges = (await controllerDependencies(target.client, target.options)).flatMap(({ value }) => value);
    return { edges, live: options.withResources ? await liveResources(target, edges) : [] };
  });
  if (answers.length === 0) return exitCode;
  const edges = distinct(answers.flatMap(({ value }) => value.edges).map(graphEdge));
  const live = distinct(answers.flatMap(({ value }) => value.live));
  context.stdout.write((options.language === "dot" ? dotText : mermaidText)(edges, live));
  return exitCode;
}

function graphEdge({ controller, edge, type, id }: DependencyEdge): GraphEdge {
  return { controller, resourceType: type, edge, id };
}

/** Several nodes have most of it in common. */
function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** What is there of the types in the graph, where controllers read them and where they live unless said otherwise. */
async function liveResources(target: Target, edges: readonly DependencyEdge[]): Promise<LiveResource[]> {
  const resources = new ResourceClient(target.client);
  const homes = new Map((await typesOn(target)).map(({ type, defaultNamespace }) => [type, defaultNamespace]));
  const found: LiveResource[] = [];
  for (const type of new Set(edges.map((edge) => edge.type))) {
    const read = edges.filter((edge) => edge.type === type && edge.namespace !== "").map(({ namespace }) => namespace);
    for (const namespace of new Set([homes.get(type) ?? "", ...read].filter((name) => name !== ""))) {
      try {
        for (const { metadata } of await resources.list({ namespace, type }, target.options)) {
          found.push({ type, name: `${namespace}/${metadata.id}` });
        }
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "PERMISSION_DENIED") throw error; // secrets stay undrawn
      }
    }
  }
  return found;
}
