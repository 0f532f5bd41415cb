import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { newResource, writeCauseId, WriteCauses, type WriteCauseSpec } from "../cosi/mod.ts";
import { TestNode, Things } from "./testbed.ts";

const spec = { name: "x", sizes: [] };

function cause(node: TestNode, id: string, controller: string, fields: Partial<WriteCauseSpec>): void {
  const place = { namespace: Things.namespace, type: Things.type, id };
  const defaults = { controller, time: "2026-01-02T03:04:05Z", reason: "change", objects: [], moreObjects: 0 } as const;
  node.machine.state.createNow(newResource(WriteCauses, writeCauseId(place), { ...defaults, ...fields }));
}

const object = (id: string, version: string) => ({ namespace: Things.namespace, type: Things.type, id, version });

Deno.test("explain: from a resource to what it came from, once each, and the origin of its fields", async () => {
  await using node = await TestNode.start();
  const annotations = new Map([
    ["origin.monos.dev/name", "configuration LinkConfig/eth0"],
    ["origin.monos.dev/sizes", "cmdline kernel argument ip="],
  ]);
  node.machine.state.createNow(newResource(Things, "merged", spec, { annotations }));
  const source = new Map([["monos.dev/source", "LinkConfig/eth0"]]);
  node.machine.state.createNow(newResource(Things, "layered", spec, { annotations: source }));
  cause(node, "merged", "a.Merge", { objects: [object("layered", "7"), object("gone", "3")], moreObjects: 2 });
  cause(node, "layered", "a.Config", { reason: "start", objects: [object("merged", "1")] });
  const { out, errors, code } = await node.run("explain things merged");
  strictEqual(errors, "");
  strictEqual(code, 0);
  deepStrictEqual(out.split("\n"), [
    "Things.test.dev default/merged version 1",
    "  written by a.Merge at 2026-01-02T03:04:05Z, woken by",
    "    Things.test.dev default/layered version 7, now 1 from LinkConfig/eth0",
    "      written by a.Config at 2026-01-02T03:04:05Z, at its start, having read",
    "        Things.test.dev default/merged version 1 (see above)",
    "    Things.test.dev default/gone version 3",
    "    and 2 more",
    "",
    "FIELD   LAYER           SOURCE",
    "name    configuration   LinkConfig/eth0",
    "sizes   cmdline         kernel argument ip=",
    "",
  ]);
});

Deno.test("explain: what is not known, and what is not there", async () => {
  await using node = await TestNode.start();
  node.machine.state.createNow(newResource(Things, "owned", spec), { owner: "a.Writer" });
  strictEqual(
    (await node.run("explain things owned")).out,
    "Things.test.dev default/owned version 1\n  written by a.Writer; why is not known any more\n",
  );
  const missing = await node.run("explain things none");
  strictEqual(missing.code, 1);
  match(missing.errors, /none/);
});
