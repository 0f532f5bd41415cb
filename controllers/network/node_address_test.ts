import { deepStrictEqual } from "node:assert/strict";
import { MemoryState, newResource, Runtime, watchFor } from "../../mod/cosi/mod.ts";
import { type AddressStatus, AddressStatuses } from "../../resources/network/address_status.ts";
import { type LinkStatus, LinkStatuses } from "../../resources/network/link_status.ts";
import { NodeAddresses } from "../../resources/network/node_address.ts";
import { NodeAddressSortAlgorithms } from "../../resources/network/node_address_sort_algorithm.ts";
import { nodeAddressController, nodeAddresses } from "./node_address.ts";
import { addressStatus } from "./address_status.ts";
import { linkStatus } from "./link_status.ts";
import { addressRecord, cardRecord, viewOf } from "./plan_fixture.ts";

const LINKS = new Map<string, LinkStatus>(
  [
    cardRecord(2, "eth0", { operState: 6, hasCarrier: true }),
    cardRecord(3, "eth1", { operState: 6, hasCarrier: false }),
    cardRecord(4, "dummy0", { kind: "dummy", operState: 0 }),
  ].map((link) => [link.name, linkStatus(link, viewOf([]))]),
);

function on(linkName: string, address: string, scope = 0): AddressStatus {
  return addressStatus(addressRecord(2, address, { scope }), linkName);
}

/** The sets by id, as lists of prefixes. */
function sets(addresses: AddressStatus[], algorithm: "v1" | "v2" = "v1", before: Record<string, string[]> = {}) {
  const old = Object.entries(before).map(([id, prefixes]) =>
    [id, { addresses: prefixes, sortAlgorithm: "v1" }] as const
  );
  const result = nodeAddresses(addresses, LINKS, algorithm, new Map(old));
  return Object.fromEntries([...result].map(([id, set]) => [id, set.addresses]));
}

Deno.test("nodeAddresses() leaves out what does not reach beyond the link", () => {
  const local = [on("eth0", "127.0.0.1/8", 254), on("eth0", "169.254.1.1/16"), on("eth0", "fe80::1/64", 253)];
  deepStrictEqual(sets([...local, on("eth0", "10.0.0.5/24")]), {
    default: ["10.0.0.5/24"],
    current: ["10.0.0.5/24"],
    routed: ["10.0.0.5/24"],
    accumulative: ["10.0.0.5/24"],
  });
  deepStrictEqual(sets(local), { current: [], routed: [], accumulative: [] });
  const taken = { ...on("eth0", "fd00::7/64"), flags: "dadfailed,tentative,permanent" };
  deepStrictEqual(sets([taken]), sets([])); // another machine has it
});

Deno.test("nodeAddresses() counts links that are up, and cards with a carrier", () => {
  const addresses = [on("eth0", "10.0.0.5/24"), on("eth1", "10.1.0.5/24"), on("dummy0", "10.2.0.5/24")];
  const { current, accumulative } = sets(addresses);
  deepStrictEqual(current, ["10.0.0.5/24", "10.2.0.5/24"]);
  deepStrictEqual(accumulative, ["10.0.0.5/24", "10.1.0.5/24", "10.2.0.5/24"]);
});

Deno.test("nodeAddresses() keeps the default while it is there, and every address it ever saw", () => {
  const before = { default: ["10.0.0.9/24"], accumulative: ["10.0.0.1/24", "10.0.0.9/24"] };
  const addresses = [on("dummy0", "10.2.0.5/24"), on("eth0", "10.0.0.9/24")];
  const kept = sets(addresses, "v1", before);
  deepStrictEqual(kept.default, ["10.0.0.9/24"]);
  deepStrictEqual(kept.accumulative, ["10.0.0.1/24", "10.0.0.9/24", "10.2.0.5/24"]);
  deepStrictEqual(sets(addresses.slice(0, 1), "v1", before).default, ["10.2.0.5/24"]);
});

Deno.test("nodeAddresses() shows an external address, but does not route to it", () => {
  const { current, routed, default: first } = sets([on("external", "198.51.100.7/32"), on("eth0", "10.0.0.5/24")]);
  deepStrictEqual([current, routed, first], [
    ["10.0.0.5/24", "198.51.100.7/32"],
    ["10.0.0.5/24"],
    ["10.0.0.5/24"],
  ]);
});

Deno.test("nodeAddresses() sorts by address, or an address before the one whose network it is in", () => {
  const apart = ["192.168.0.1/32", "10.0.0.5/24", "fd00::1/128", "2001:db8::1/64"].map((text) => on("eth0", text));
  deepStrictEqual(sets(apart, "v2").current, ["10.0.0.5/24", "192.168.0.1/32", "2001:db8::1/64", "fd00::1/128"]);
  const inside = ["10.0.0.1/8", "10.0.0.200/25", "10.0.0.200/32", "10.0.0.20/24"].map((text) => on("eth0", text));
  deepStrictEqual(sets(inside, "v2").current, ["10.0.0.200/32", "10.0.0.200/25", "10.0.0.1/8", "10.0.0.20/24"]);

  const addresses = ["2001:db8::1/64", "10.9.0.1/16", "10.0.0.5/8", "10.9.0.2/32"].map((text) => on("eth0", text));
  deepStrictEqual(sets(addresses).current, ["10.0.0.5/8", "10.9.0.1/16", "10.9.0.2/32", "2001:db8::1/64"]);
  deepStrictEqual(sets(addresses, "v2").current, ["10.9.0.2/32", "10.9.0.1/16", "10.0.0.5/8", "2001:db8::1/64"]);
});

Deno.test("network.NodeAddressController takes the default away with the last address", async () => {
  const state = new MemoryState();
  const runtime = new Runtime(state);
  runtime.register(nodeAddressController());
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const link = linkStatus(cardRecord(2, "eth0", { operState: 6, hasCarrier: true }), viewOf([]));
  await state.create(newResource(NodeAddressSortAlgorithms, "default", { algorithm: "v1" as const }));
  await state.create(newResource(LinkStatuses, "eth0", link));
  const status = await state.create(newResource(AddressStatuses, "eth0/10.0.0.5/24", on("eth0", "10.0.0.5/24")));
  const { namespace, type } = NodeAddresses;
  await watchFor(state, { namespace, type, id: "default" }, { types: ["created"] });
  await state.destroy(status.metadata);
  await watchFor(state, { namespace, type, id: "default" }, { types: ["destroyed"] });
  stop.abort();
  await running;
});
