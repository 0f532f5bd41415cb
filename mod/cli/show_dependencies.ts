import { controllerDependencies } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { dotText, type GraphEdge, mermaidText } from "./dependency_graph.ts";
import { openTargets } from "./targets.ts";

/** What `inspect dependencies` is asked for. */
export interface DependenciesOptions {
  readonly language: "dot" | "mermaid";
  readonly withResources: boolean;
}

/** `inspect dependencies`: the graph of controllers of all nodes together. */
export async function showDependencies(context: CommandContext, options: DependenciesOptions): Promise<number> {
  using targets = await openTargets(context);
  const { answers, exitCode } = await targets.each(context, "inspect", async ({ client, options }) => {
    const found = await controllerDependencies(client, options);
    return found.flatMap(({ value }) => value);
  });
  const edges = new Map<string, GraphEdge>();
  for (const { controller, edge, type, id } of answers.flatMap(({ value }) => value)) {
    const drawn = { controller, resourceType: type, isOutput: edge.startsWith("output"), id };
    edges.set(JSON.stringify(drawn), drawn);
  }
  if (answers.length === 0) return exitCode;
  const text = options.language === "dot" ? dotText : mermaidText;
  context.stdout.write(text([...edges.values()], options.withResources));
  return exitCode;
}
