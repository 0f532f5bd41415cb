import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type EventType,
  makeResource,
  newMetadata,
  OpaqueSpec,
  type ResourceDefinitionSpec,
  textMap,
} from "../cosi/mod.ts";
import { type Entry, resourcePrinter } from "./resource_printer.ts";

const TIME = { seconds: 1_700_000_000, nanos: 0 };
const DEFINITION: ResourceDefinitionSpec = {
  ...{ type: "Things.test.dev", displayType: "Thing", defaultNamespace: "default", aliases: [], allAliases: [] },
  ...{ skipAutomaticAliases: false, sensitivity: "" },
  printColumns: [{ name: "Link Name", jsonPath: "{.link}" }, { name: "All", jsonPath: "{.all[*]}" }],
};

function entry(id: string, yaml: string, event?: EventType): Entry {
  const labels = textMap([["b", "2"], ["a", "1"]]);
  const metadata = newMetadata({ namespace: "default", type: "Things.test.dev", id }, {
    ...{ version: 3n, owner: "test.Controller", created: TIME, updated: TIME, labels, finalizers: ["f"] },
  });
  const resource = makeResource(metadata, new OpaqueSpec(undefined, yaml));
  return { node: "n1", resource, ...(event !== undefined && { event }) };
}

Deno.test("table: columns, missing keys, text of several lines", () => {
  const print = resourcePrinter({ form: "table" }, { isWatch: false });
  const text = print(DEFINITION, [
    entry("a", "link: eth0\nall: [x, y]\n"),
    entry("b", "link: |\n    two\n    lines\n"),
  ]);
  deepStrictEqual(text.split("\n"), [
    "NODE   NAMESPACE   TYPE    ID   VERSION   LINK NAME    ALL",
    "n1     default     Thing   a    3         eth0         x y",
    "n1     default     Thing   b    3         two lines    ",
    "",
  ]);
});

Deno.test("table of a watch: one head, marks, later rows keep the columns of the first", () => {
  const print = resourcePrinter({ form: "table" }, { isWatch: true });
  const texts = [
    print(DEFINITION, [entry("a-long-id", "link: eth0", "created"), entry("b", "{}", "created")]),
    print(DEFINITION, [entry("b", "link: x", "updated")]),
    print(DEFINITION, [entry("b", "", "destroyed")]),
    print(DEFINITION, []),
  ];
  deepStrictEqual(texts.join("").split("\n").map((line) => line.trimEnd()), [
    "NODE   *   NAMESPACE   TYPE    ID          VERSION   LINK NAME   ALL",
    "n1     +   default     Thing   a-long-id   3         eth0",
    "n1     +   default     Thing   b           3",
    "n1         default     Thing   b           3         x",
    "n1     -   default     Thing   b           3",
    "",
  ]);
});

Deno.test("yaml: separators, events, metadata in its order, specs that are mappings, lists, text", () => {
  const print = resourcePrinter({ form: "yaml" }, { isWatch: true });
  const first = print(DEFINITION, [entry("a", "link: eth0\nall:\n    - x\n", "created")]);
  const next = print(DEFINITION, [entry("b", "|\n    one\n    two\n", "updated"), entry("c", "text\n", "updated")]);
  strictEqual(
    first,
    [
      "node: n1",
      "event: created",
      "metadata:",
      "    namespace: default",
      "    type: Things.test.dev",
      "    id: a",
      "    version: 3",
      "    owner: test.Controller",
      "    phase: running",
      "    created: 2023-11-14T22:13:20Z",
      "    updated: 2023-11-14T22:13:20Z",
      "    labels:",
      '        a: "1"',
      '        b: "2"',
      "    finalizers:",
      "        - f",
      "spec:",
      "    link: eth0",
      "    all:",
      "        - x",
      "",
    ].join("\n"),
  );
  const [, text = "", scalar = ""] = next.split("---\n");
  strictEqual(text.slice(text.indexOf("spec:")), "spec: |\n    one\n    two\n");
  strictEqual(scalar.slice(scalar.indexOf("spec:")), "spec: text\n");
});

Deno.test("json: one object each, with labels; jsonpath over the same", () => {
  const resource = entry("a", "link: eth0");
  const json = resourcePrinter({ form: "json" }, { isWatch: false })(DEFINITION, [resource]);
  const { node, metadata, spec } = JSON.parse(json);
  deepStrictEqual({ node, labels: metadata.labels, finalizers: metadata.finalizers, spec }, {
    ...{ node: "n1", labels: { a: "1", b: "2" }, finalizers: ["f"], spec: { link: "eth0" } },
  });
  const template = "{.node} {.metadata.labels.a} {.spec.link}{.spec.absent}";
  const print = resourcePrinter({ form: "jsonpath", template }, { isWatch: false });
  strictEqual(print(DEFINITION, [resource, resource]), "n1 1 eth0\nn1 1 eth0\n");
});
