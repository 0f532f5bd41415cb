import { strictEqual } from "node:assert/strict";
import { dotText, type GraphEdge, mermaidText } from "./dependency_graph.ts";

const EDGES: readonly GraphEdge[] = [
  { controller: "W", resourceType: "T.x", edge: "outputExclusive", id: "" },
  { controller: "R", resourceType: "T.x", edge: "inputWeak", id: "one" },
  { controller: "R", resourceType: "U.x", edge: "outputShared", id: "" },
  { controller: "R", resourceType: "U.x", edge: "inputDestroyReady", id: "" },
  { controller: "W", resourceType: "U.x", edge: "inputStrong", id: "" },
];
const LIVE = [{ type: "T.x", name: 'a/"b"' }];

Deno.test("dotText() tells kinds of arrows apart and hides who waits for its own output's end", () => {
  strictEqual(
    dotText(EDGES).split("\n").slice(2, -2).map((line) => line.trim()).join("\n"),
    [
      '"R" [shape=box];',
      '"W" [shape=box];',
      '"T.x" [shape=note];',
      '"U.x" [shape=note];',
      '"W" -> "T.x" [style=bold];',
      '"T.x" -> "R" [label="one", style=dotted];',
      '"R" -> "U.x";',
      '"U.x" -> "W";',
    ].join("\n"),
  );
});

Deno.test("dotText() puts live resources into the cluster of their type", () => {
  strictEqual(
    dotText(EDGES, LIVE).split("\n").slice(4, 8).join("\n"),
    '  subgraph "cluster_T.x" {\n    "T.x" [shape=note];\n    "T.x/a/\\"b\\"" [label="a/\\"b\\""];\n  }',
  );
});

Deno.test("mermaidText() draws the same", () => {
  const lines = [
    ...['  n0["R"]', '  n1["W"]', '  subgraph n4["T.x"]', '    n2(["T.x"])', '    n5["a/#quot;b#quot;"]', "  end"],
    ...['  n3(["U.x"])', "  n1 ==> n2", "  n2 -.->|one| n0", "  n0 --> n3", "  n3 --> n1"],
  ];
  strictEqual(mermaidText(EDGES, LIVE), `flowchart LR\n${lines.join("\n")}\n`);
});
