import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { changeMetadata, newResource, type Resource, type ResourceDefinition } from "../../mod/cosi/mod.ts";
import { type AddressSpec, AddressSpecs } from "../../resources/network/address_spec.ts";
import { type HostnameSpec, HostnameSpecs } from "../../resources/network/hostname_spec.ts";
import { type ConfigLayer, layeredId, NETWORK_CONFIG, SOURCE_ANNOTATION } from "../../resources/network/layer.ts";
import { type LinkSpec, LinkSpecs } from "../../resources/network/link_spec.ts";
import { type ResolverSpec, ResolverSpecs } from "../../resources/network/resolver_spec.ts";
import { ADDRESS_MERGE } from "./address_merge.ts";
import { HOSTNAME_MERGE } from "./hostname_merge.ts";
import { LINK_MERGE } from "./link_merge.ts";
import { mergeWishes } from "./merge.ts";
import { RESOLVER_MERGE } from "./resolver_merge.ts";

function wish<S extends { layer: ConfigLayer }>(
  definition: ResourceDefinition<S>,
  id: string,
  source: string,
  spec: S,
): Resource<S> {
  const annotations = new Map([[SOURCE_ANNOTATION, source]]);
  return newResource(definition, layeredId(spec.layer, id), spec, { namespace: NETWORK_CONFIG, annotations });
}

function link(source: string, fields: Partial<LinkSpec> & { layer: ConfigLayer }): Resource<LinkSpec> {
  return wish(LinkSpecs, "eth0", source, { name: "eth0", logical: false, kind: "", type: "netrom", ...fields });
}

Deno.test("a link that a higher layer sets to down is down, and says who said so", () => {
  const [merged] = mergeWishes([
    link("LinkConfig/eth0", { layer: "configuration", up: false }),
    link("kernel argument ip=", { layer: "cmdline", up: true, mtu: 1400 }),
  ], LINK_MERGE);
  deepStrictEqual(merged?.spec, {
    name: "eth0",
    logical: false,
    kind: "",
    type: "netrom",
    layer: "configuration",
    up: false,
    mtu: 1400,
  });
  strictEqual(merged?.annotations?.get("origin.monos.dev/up"), "configuration LinkConfig/eth0");
  strictEqual(merged?.annotations?.get("origin.monos.dev/mtu"), "cmdline kernel argument ip=");
});

Deno.test("a link that a higher layer does not speak of stays as the lower one wants it", () => {
  const [merged] = mergeWishes([
    link("a", { layer: "cmdline", logical: true, kind: "dummy", type: "ether", up: true, multicast: false }),
    link("b", { layer: "configuration", mtu: 9000 }),
  ], LINK_MERGE);
  const { logical, kind, type, up, multicast, mtu } = merged?.spec ?? {};
  deepStrictEqual([logical, kind, type, up, multicast, mtu], [true, "dummy", "ether", true, false, 9000]);
});

Deno.test("wishes that are going away do not count, and the last one takes its object with it", () => {
  const old = link("a", { layer: "configuration", up: false });
  const going = { ...old, metadata: changeMetadata(old.metadata, { phase: "tearingDown" }) };
  deepStrictEqual(mergeWishes([going], LINK_MERGE), []);
  strictEqual(mergeWishes([going, link("b", { layer: "default", up: true })], LINK_MERGE)[0]?.spec.up, true);
});

Deno.test("the higher layer's address wins whole, without flags that only the kernel sets", () => {
  const address = (layer: ConfigLayer, fields: Partial<AddressSpec>) =>
    wish<AddressSpec>(AddressSpecs, "eth0/10.0.0.5/24", "s", {
      address: "10.0.0.5/24",
      linkName: "eth0",
      family: "inet4",
      scope: "global",
      flags: "permanent",
      announceWithARP: false,
      priority: 0,
      layer,
      ...fields,
    });
  const merged = mergeWishes([
    address("operator", { flags: "tentative,permanent,noprefixroute,dadfailed", priority: 1024 }),
    address("platform", { announceWithARP: true, priority: 7 }),
    address("operator", { address: "10.0.0.6/24" }),
  ], ADDRESS_MERGE);
  deepStrictEqual(
    merged.map(({ id, spec }) => [id, spec.flags, spec.priority, spec.announceWithARP, spec.layer]),
    [
      ["eth0/10.0.0.5/24", "permanent,noprefixroute", 1024, false, "operator"],
      ["eth0/10.0.0.6/24", "permanent", 0, false, "operator"],
    ],
  );
});

Deno.test("the highest layer names the node", () => {
  const name = (layer: ConfigLayer, hostname: string) =>
    wish<HostnameSpec>(HostnameSpecs, "hostname", layer, { hostname, domainname: "", layer });
  const merged = mergeWishes([name("configuration", "c"), name("cmdline", "b"), name("default", "a")], HOSTNAME_MERGE);
  deepStrictEqual(merged.map(({ id, spec }) => [id, spec.hostname]), [["hostname", "c"]]);
});

const resolverCases: [name: string, wishes: Partial<ResolverSpec>[], servers: string[], domains: string[]][] = [
  ["takes the default", [{ dnsServers: ["1.1.1.1"] }], ["1.1.1.1"], []],
  [
    "keeps the other family's servers of lower layers, after the new ones",
    [{ dnsServers: ["1.1.1.1", "2001:db8::1"] }, { layer: "operator", dnsServers: ["10.0.0.53"] }],
    ["10.0.0.53", "2001:db8::1"],
    [],
  ],
  [
    "lets the config replace all servers",
    [{ dnsServers: ["1.1.1.1", "2001:db8::1"] }, { layer: "configuration", dnsServers: ["10.0.0.53"] }],
    ["10.0.0.53"],
    [],
  ],
  [
    "keeps servers when the config only adds domains, which come first",
    [{ dnsServers: ["1.1.1.1"], searchDomains: ["a"] }, { layer: "configuration", searchDomains: ["b"] }],
    ["1.1.1.1"],
    ["b", "a"],
  ],
  [
    "lets an explicit empty list clear the domains",
    [{ dnsServers: ["1.1.1.1"], searchDomains: ["a"] }, { layer: "configuration", searchDomainsOverridden: true }],
    ["1.1.1.1"],
    [],
  ],
  [
    "adds up the sources of one layer",
    [
      { layer: "operator", dnsServers: ["10.0.0.1", "10.0.0.1"], searchDomains: ["a"] },
      { layer: "operator", dnsServers: ["10.0.0.2", "10.0.0.1"], searchDomains: ["b"] },
    ],
    ["10.0.0.1", "10.0.0.2"],
    ["a", "b"],
  ],
];
for (const [name, wishes, servers, domains] of resolverCases) {
  Deno.test(`merging resolvers ${name}`, () => {
    const specs = wishes.map((part, index) => {
      const { layer = "default", dnsServers = [], searchDomains = [], searchDomainsOverridden = false } = part;
      const nameServers = dnsServers.map((addr) => ({ addr, protocol: "Do53" as const, tlsServerName: "" }));
      const spec = { dnsServers, nameServers, layer, searchDomains, searchDomainsOverridden };
      return wish<ResolverSpec>(ResolverSpecs, `resolvers${index}`, "s", spec);
    });
    const [merged] = mergeWishes(specs, RESOLVER_MERGE);
    deepStrictEqual([merged?.spec.dnsServers, merged?.spec.searchDomains], [servers, domains]);
  });
}
