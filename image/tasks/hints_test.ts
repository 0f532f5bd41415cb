import { strictEqual } from "node:assert/strict";
import { dist, REPO } from "../paths.ts";
import { hints } from "./hints.ts";

Deno.test("hints() gives commands that work from the user's folder", () => {
  const node = { name: "demo", node: "10.5.0.2", talosconfig: dist("nodes/demo/talosconfig") };
  const lines = hints(node, REPO).split("\n");
  strictEqual(lines[3], "  dist/monosctl --talosconfig dist/nodes/demo/talosconfig -n 10.5.0.2 get addresses");
  const above = hints({ ...node, endpoint: "127.0.0.1:50000" }, `${REPO}..`).split("\n");
  const folder = REPO.split("/").at(-2);
  strictEqual(
    above[4],
    `  ${folder}/dist/monosctl --talosconfig ${folder}/dist/nodes/demo/talosconfig -e 127.0.0.1:50000 -n 10.5.0.2 services`,
  );
});
