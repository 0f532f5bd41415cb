import type { EdgeType } from "../cosi/mod.ts";

/** How a controller and a type of resource hang together. */
export interface GraphEdge {
  readonly controller: string;
  readonly resourceType: string;
  readonly edge: EdgeType;
  /** The one object an input is about; empty for all. */
  readonly id: string;
}

/** A resource that is there, drawn with its type. */
export interface LiveResource {
  readonly type: string;
  /** `namespace/id`. */
  readonly name: string;
}

/** Controllers, types, and the arrows between them; a controller that waits for its own output's end is no arrow. */
interface Graph {
  readonly controllers: readonly string[];
  readonly types: readonly string[];
  readonly arrows: readonly { readonly from: string; readonly to: string; readonly edge: GraphEdge }[];
}

const HIDDEN: ReadonlySet<EdgeType> = new Set(["inputDestroyReady", "inputQMappedDestroyReady"]);

function graphOf(edges: readonly GraphEdge[]): Graph {
  const arrows = edges.filter(({ edge }) => !HIDDEN.has(edge)).map((edge) => {
    const { controller, resourceType } = edge;
    const isOutput = edge.edge.startsWith("output");
    return isOutput ? { from: controller, to: resourceType, edge } : { from: resourceType, to: controller, edge };
  });
  return {
    controllers: [...new Set(edges.map(({ controller }) => controller))].sort(),
    types: [...new Set(edges.map(({ resourceType }) => resourceType))].sort(),
    arrows,
  };
}

/** Styles of arrows as Graphviz and Mermaid know them: bold for the only writer, dotted for who only looks. */
const DOT_STYLES: { readonly [E in EdgeType]?: string } = { outputExclusive: "bold", inputWeak: "dotted" };
const MERMAID_ARROWS: { readonly [E in EdgeType]?: string } = { outputExclusive: "==>", inputWeak: "-.->" };

/** The graph in the language of Graphviz: controllers are boxes, types notes, live resources in the cluster of their type. */
export function dotText(edges: readonly GraphEdge[], live: readonly LiveResource[] = []): string {
  const { controllers, types, arrows } = graphOf(edges);
  const quoted = (text: string) => JSON.stringify(text);
  const lines = ["digraph {", "  rankdir=LR;", ...controllers.map((name) => `  ${quoted(name)} [shape=box];`)];
  const byType = Map.groupBy(live, ({ type }) => type);
  for (const type of types) {
    const node = `${quoted(type)} [shape=note];`;
    const resources = byType.get(type) ?? [];
    if (resources.length === 0) lines.push(`  ${node}`);
    else {
      lines.push(`  subgraph ${quoted(`cluster_${type}`)} {`, `    ${node}`);
      for (const { name } of resources) lines.push(`    ${quoted(`${type}/${name}`)} [label=${quoted(name)}];`);
      lines.push("  }");
    }
  }
  for (const { from, to, edge: { edge, id } } of arrows) {
    const style = DOT_STYLES[edge];
    const marks = [...(id === "" ? [] : [`label=${quoted(id)}`]), ...(style === undefined ? [] : [`style=${style}`])];
    lines.push(`  ${quoted(from)} -> ${quoted(to)}${marks.length === 0 ? "" : ` [${marks.join(", ")}]`};`);
  }
  return [...lines, "}", ""].join("\n");
}

/** The graph in the language of Mermaid, which Markdown viewers draw. */
export function mermaidText(edges: readonly GraphEdge[], live: readonly LiveResource[] = []): string {
  const { controllers, types, arrows } = graphOf(edges);
  const keys = new Map([...controllers, ...types].map((name, at) => [name, `n${at}`]));
  const lines = ["flowchart LR", ...controllers.map((name) => `  ${keys.get(name)}["${name}"]`)];
  const byType = Map.groupBy(live, ({ type }) => type);
  let made = keys.size;
  for (const type of types) {
    const node = `${keys.get(type)}(["${type}"])`;
    const resources = byType.get(type) ?? [];
    if (resources.length === 0) lines.push(`  ${node}`);
    else {
      lines.push(`  subgraph n${made++}["${type}"]`, `    ${node}`);
      for (const { name } of resources) lines.push(`    n${made++}["${name.replaceAll('"', "#quot;")}"]`);
      lines.push("  end");
    }
  }
  for (const { from, to, edge: { edge, id } } of arrows) {
    lines.push(`  ${keys.get(from)} ${MERMAID_ARROWS[edge] ?? "-->"}${id === "" ? "" : `|${id}|`} ${keys.get(to)}`);
  }
  return [...lines, ""].join("\n");
}
