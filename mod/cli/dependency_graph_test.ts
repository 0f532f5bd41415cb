import { strictEqual } from "node:assert/strict";
import { dotText, type GraphEdge, mermaidText } from "./dependency_graph.ts";

const EDGES: readonly GraphEdge[] = [
  { controller: "W", resourceType: "T.x", isOutput: true, id: "" },
  { controller: "R", resourceType: "T.x", isOutput: false, id: "one" },
  { controller: "R", resourceType: "U.x", isOutput: true, id: "" },
];

Deno.test("dotText() between controllers, and over resources", () => {
  strictEqual(
    dotText(EDGES, false),
    'digraph {\n  rankdir=LR;\n  "R" [shape=box];\n  "W" [shape=box];\n  "W" -> "R" [label="T.x"];\n}\n',
  );
  strictEqual(
    dotText(EDGES, true).split("\n").slice(4, -2).join("\n"),
    '  "T.x" [shape=ellipse];\n  "U.x" [shape=ellipse];\n  "W" -> "T.x";\n  "T.x" -> "R" [label="one"];\n  "R" -> "U.x";',
  );
});

Deno.test("mermaidText() over resources", () => {
  const lines = ['n0["R"]', 'n1["W"]', 'n2(["T.x"])', 'n3(["U.x"])', "n1 --> n2", "n2 -->|one| n0", "n0 --> n3"];
  strictEqual(mermaidText(EDGES, true), `flowchart LR\n${lines.map((line) => `  ${line}\n`).join("")}`);
});
