/** How a controller and a type of resource hang together. */
export interface GraphEdge {
  readonly controller: string;
  readonly resourceType: string;
  /** Whether the controller writes the type; otherwise it reads it. */
  readonly isOutput: boolean;
  /** The one object an input is about; empty for all. */
  readonly id: string;
}

/** Arrow between two nodes; `label` may be empty. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface Graph {
  readonly controllers: readonly string[];
  readonly resources: readonly string[];
  readonly arrows: readonly Arrow[];
}

/** Writers point at readers with the type between them; or, with resources, controllers at types and types at controllers. */
function graphOf(edges: readonly GraphEdge[], withResources: boolean): Graph {
  const controllers = [...new Set(edges.map(({ controller }) => controller))].sort();
  if (withResources) {
    const resources = [...new Set(edges.map(({ resourceType }) => resourceType))].sort();
    const arrows = edges.map(({ controller, resourceType, isOutput, id }) =>
      isOutput ? { from: controller, to: resourceType, label: "" } : { from: resourceType, to: controller, label: id }
    );
    return { controllers, resources, arrows };
  }
  const readers = Map.groupBy(edges.filter(({ isOutput }) => !isOutput), ({ resourceType }) => resourceType);
  const arrows = edges.filter(({ isOutput }) => isOutput).flatMap(({ controller, resourceType }) => {
    const names = new Set((readers.get(resourceType) ?? []).map((reader) => reader.controller));
    return [...names].map((to) => ({ from: controller, to, label: resourceType }));
  });
  return { controllers, resources: [], arrows };
}

/** The graph in the language of Graphviz. */
export function dotText(edges: readonly GraphEdge[], withResources: boolean): string {
  const { controllers, resources, arrows } = graphOf(edges, withResources);
  const quoted = (text: string) => JSON.stringify(text);
  return [
    "digraph {",
    "  rankdir=LR;",
    ...controllers.map((name) => `  ${quoted(name)} [shape=box];`),
    ...resources.map((name) => `  ${quoted(name)} [shape=ellipse];`),
    ...arrows.map(({ from, to, label }) =>
      `  ${quoted(from)} -> ${quoted(to)}${label === "" ? "" : ` [label=${quoted(label)}]`};`
    ),
    "}",
    "",
  ].join("\n");
}

/** The graph in the language of Mermaid, which Markdown viewers draw. */
export function mermaidText(edges: readonly GraphEdge[], withResources: boolean): string {
  const { controllers, resources, arrows } = graphOf(edges, withResources);
  const keys = new Map([...controllers, ...resources].map((name, at) => [name, `n${at}`]));
  return [
    "flowchart LR",
    ...controllers.map((name) => `  ${keys.get(name)}["${name}"]`),
    ...resources.map((name) => `  ${keys.get(name)}(["${name}"])`),
    ...arrows.map(({ from, to, label }) =>
      `  ${keys.get(from)} -->${label === "" ? "" : `|${label}|`} ${keys.get(to)}`
    ),
    "",
  ].join("\n");
}
