import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { newResource } from "../cosi/mod.ts";
import { TestNode, Things } from "./testbed.ts";

Deno.test("get: table, one object, jsonpath, json, nothing there", async () => {
  await using node = await TestNode.start();
  node.thing("b", { name: "second", sizes: [1, 2] });
  node.thing("a", { name: "first: one", sizes: [] });
  const table = [
    "NODE        NAMESPACE   TYPE    ID   VERSION   NAME         SIZES",
    "127.0.0.1   default     Thing   a    1         first: one   []",
    "127.0.0.1   default     Thing   b    1         second       [1,2]",
    "",
  ].join("\n");
  for (const type of ["things", "Things", "things.test", "Things.test.dev", "things --namespace="]) {
    deepStrictEqual(await node.run(`get ${type}`), { code: 0, out: table, errors: "" });
  }
  strictEqual((await node.run("get things b -o jsonpath={.metadata.id}={.spec.sizes[1]}")).out, "b=2\n");
  const { out } = await node.run("get -o json things b");
  const { node: name, metadata: { owner, version }, spec } = JSON.parse(out);
  deepStrictEqual({ name, owner, version }, { name: "127.0.0.1", owner: null, version: 1 });
  deepStrictEqual(spec, { name: "second", sizes: [1, 2] });
  const empty = await node.run("get others");
  deepStrictEqual(empty, { code: 0, out: "", errors: "no Others.test.dev in namespace default\n" });
  match((await node.run("get rd things.test.dev")).out, /meta +ResourceDefinition +things\.test\.dev +1 +thing\n$/);
});

Deno.test("get -o yaml separates documents and shows metadata and spec as the node does", async () => {
  await using node = await TestNode.start();
  node.thing("a", { name: "first", sizes: [7] });
  node.thing("b", { name: "b", sizes: [] });
  const { out } = await node.run("get things -o yaml");
  const [first = "", second = ""] = out.split("---\n");
  strictEqual(
    first.replaceAll(/ted: .*/g, "ted: …"),
    [
      "node: 127.0.0.1",
      "metadata:",
      "    namespace: default",
      "    type: Things.test.dev",
      "    id: a",
      "    version: 1",
      "    owner:",
      "    phase: running",
      "    created: …",
      "    updated: …",
      "spec:",
      "    name: first",
      "    sizes:",
      "        - 7",
      "",
    ].join("\n"),
  );
  match(second, /^node: 127\.0\.0\.1\nmetadata:\n[^]* id: b\n/);
});

Deno.test("get -w shows what is there, then changes, until the user leaves", async () => {
  await using node = await TestNode.start();
  const { state } = node.machine;
  node.thing("a", { name: "first", sizes: [] });
  const { out, leave, code } = node.start("get things -w");
  await out.until(/first/);
  const a = state.getNow(newResource(Things, "a", { name: "", sizes: [] }).metadata);
  state.updateNow({ ...a, spec: { name: "changed", sizes: [] } });
  await out.until(/changed/);
  state.destroyNow(a.metadata);
  await out.until(/ - .*\n/);
  leave.abort();
  strictEqual(await code, 0);
  deepStrictEqual(out.text.split("\n").map((line) => line.trimEnd()), [
    "NODE        *   NAMESPACE   TYPE    ID   VERSION   NAME    SIZES",
    "127.0.0.1   +   default     Thing   a    1         first   []",
    "127.0.0.1       default     Thing   a    2         changed   []",
    "127.0.0.1   -   default     Thing   a    2         changed   []",
    "",
  ]);
  const one = node.start("get things a -w -o yaml");
  await one.out.until(/event: destroyed/);
  node.thing("a", { name: "again", sizes: [] });
  await one.out.until(/event: created\n[^]*name: again/);
  one.leave.abort();
  strictEqual(await one.code, 0);
});

Deno.test("get: wrong types, templates and objects are told with the way out", async () => {
  await using node = await TestNode.start();
  const rows: readonly [line: string, code: number, error: RegExp][] = [
    ["get thinks", 2, /"thinks": there is no such type.*; did you mean "things"\?/],
    ["get thing", 2, /"thing": it may mean others\.test\.dev, things\.test\.dev; write one/],
    ["get things -o jsonpath={.a", 2, /"\}" is missing/],
    ["get things -o ymal", 2, /Cannot use "-o": "ymal" is not one of.*did you mean "yaml"/],
    ["get things nobody", 1, /^error: Cannot get things "nobody" from 127\.0\.0\.1: [^\n]*\n$/],
    ["get things --namespace nowhere", 1, /Cannot get things from 127\.0\.0\.1: .*nowhere/],
    ["gte things", 2, /did you mean "get"/],
    ["get", 2, /it needs TYPE/],
  ];
  for (const [line, code, error] of rows) {
    const result = await node.run(line);
    strictEqual(result.code, code, line);
    match(result.errors, error);
    strictEqual(result.out, "");
  }
});

Deno.test("several nodes: answers of those that answer, errors of the others, exit code 1", async () => {
  await using node = await TestNode.start();
  node.thing("a", { name: "x", sizes: [] });
  const { out, errors, code } = await node.run("-n 127.0.0.1,10.99.0.9 get things");
  match(out, /^NODE.*\n127\.0\.0\.1 .*\n$/);
  match(errors, /^error: Cannot get things from 10\.99\.0\.9: cannot reach "10\.99\.0\.9" through this node[^\n]*\n$/);
  strictEqual(code, 1);
  const both = await node.run("-n 127.0.0.1,node-1 get things");
  match(both.out, /^NODE.*\n127\.0\.0\.1 .*\nnode-1 .*\n$/);
  const vague = await node.run("-e 10.0.0.1,10.0.0.2 get things");
  match(vague.errors, /2 endpoints and no nodes; name one with --nodes/);
  strictEqual(vague.code, 2);
});
