import { strictEqual } from "node:assert/strict";
import { MemoryState, newResource } from "../mod/cosi/mod.ts";
import { HOSTNAME_STATUS_ID, HostnameStatuses } from "../resources/network/hostname_status.ts";
import { CURRENT_NODE_ADDRESS_ID, NodeAddresses } from "../resources/network/node_address.ts";
import { MachineView } from "./machine_view.ts";

const names: readonly (readonly [name: string, isLocal: boolean])[] = [
  ["10.5.0.2", true],
  ["10.5.0.3", false],
  ["fd00::2", true],
  ["FD00:0:0:0::2", true],
  ["fd00::3", false],
  ["127.0.0.1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["node-1", true],
  ["Node-1", true],
  ["node-1.lab.example", true],
  ["node-1.example", false],
  ["localhost", true],
  ["node-2", false],
];
for (const [name, isLocal] of names) {
  Deno.test(`MachineView.isLocal("${name}") is ${isLocal}`, async () => {
    const state = new MemoryState();
    const addresses = ["10.5.0.2/24", "fd00::2/64"];
    state.createNow(newResource(NodeAddresses, CURRENT_NODE_ADDRESS_ID, { addresses, sortAlgorithm: "v1" }));
    const status = { hostname: "node-1", domainname: "lab.example" };
    state.createNow(newResource(HostnameStatuses, HOSTNAME_STATUS_ID, status));
    using view = await MachineView.open(state);
    strictEqual(view.isLocal(name), isLocal);
  });
}
