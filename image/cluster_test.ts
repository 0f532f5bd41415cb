import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { planCluster } from "./cluster.ts";
import { TaskError } from "./task.ts";

Deno.test("planCluster() counts addresses and names from the first node on", () => {
  const { bridge, gateway, nodes } = planCluster("demo", 3, "10.5.0.0/24");
  strictEqual(bridge, "mo-demo");
  strictEqual(gateway, "10.5.0.1/24");
  deepStrictEqual(nodes.map(({ name, address, hostLink }) => [name, address, hostLink]), [
    ["demo", "10.5.0.2", "mo-demo.1"],
    ["demo-2", "10.5.0.3", "mo-demo.2"],
    ["demo-3", "10.5.0.4", "mo-demo.3"],
  ]);
});
Deno.test("planCluster() takes a network that was given with host bits, to its last address", () => {
  const { gateway, nodes } = planCluster("a", 1, "10.5.255.254/30");
  strictEqual(gateway, "10.5.255.253/30");
  strictEqual(nodes[0]?.address, "10.5.255.254");
});
for (
  const [name, count, cidr] of [
    ["Demo", 1, "10.5.0.0/24"],
    ["averylongname", 1, "10.5.0.0/24"],
    ["../x", 1, "10.5.0.0/24"],
    ["demo", 0, "10.5.0.0/24"],
    ["demo", 1.5, "10.5.0.0/24"],
    ["demo", 3, "10.5.0.0/30"],
    ["demo", 1, "fd00::/64"],
    ["demo", 1, "10.5.0.0"],
  ] as const
) {
  Deno.test(`planCluster() refuses ${name}, ${count} nodes in ${cidr}`, () => {
    throws(() => planCluster(name, count, cidr), TaskError);
  });
}
