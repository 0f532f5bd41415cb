import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeConfig } from "../../mod/config/mod.ts";
import { addressSpecs } from "./address_config.ts";
import { hostnameSpecs, stableName } from "./hostname_config.ts";
import { parseNetworkArguments } from "./kernel_arguments.ts";
import { layeredWishes } from "./layered_wish.ts";
import { linkSpecs } from "./link_config.ts";
import { argumentLinkWishes, configLinkWishes } from "./link_wish.ts";
import { resolverSpecs } from "./resolver_config.ts";
import { routeSpecs } from "./route_config.ts";

const CONFIG = decodeConfig(`
version: v1alpha1
machine:
  network:
    hostname: a.example.org
    nameservers: [10.0.0.53, "2001:DB8::53"]
    searchDomains: [example.org]
    interfaces:
      - interface: eth0
        addresses: [10.0.0.5/24, 10.0.9.9]
        mtu: 1400
        routes:
          - {network: 0.0.0.0/0, gateway: 10.0.0.1}
          - {network: 10.9.0.7/16, gateway: 10.0.0.2, metric: 7}
      - interface: eth1
        ignore: true
        addresses: [10.1.0.5/24]
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth2
up: false
routes: [{}, {destination: "2001:db8:1::/48", table: "100"}, {gateway: 10.2.0.1, table: "254"}, {gateway: 10.2.0.2, table: "0"}]
---
apiVersion: v1alpha1
kind: DummyLinkConfig
name: dummy0
hardwareAddr: "02:00:00:00:00:01"
addresses: [{address: 2001:db8::5/64, routePriority: 5}]
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth1
`);
const WISHES = configLinkWishes(CONFIG, new Set());

Deno.test("links of the config: what they say, who says it, and none that is to be ignored", () => {
  const common = { layer: "configuration", logical: false, kind: "", type: "netrom" };
  deepStrictEqual(linkSpecs(WISHES).map(({ source, spec }) => [source, spec]), [
    ["machine.network.interfaces[0]", { ...common, name: "eth0", up: true, mtu: 1400 }],
    ["LinkConfig/eth2", { ...common, name: "eth2", up: false }],
    ["DummyLinkConfig/dummy0", {
      ...common,
      name: "dummy0",
      up: true,
      logical: true,
      kind: "dummy",
      type: "ether",
      hardwareAddr: "02:00:00:00:00:01",
    }],
  ]);
  strictEqual(configLinkWishes(CONFIG, new Set(["eth0", "eth2"])).length, 1);
});

Deno.test("addresses of the config; one without a length stands for itself", () => {
  deepStrictEqual(addressSpecs(WISHES).map(({ id, spec }) => [id, spec.family, spec.scope, spec.priority]), [
    ["eth0/10.0.0.5/24", "inet4", "global", 0],
    ["eth0/10.0.9.9/32", "inet4", "global", 0],
    ["dummy0/2001:db8::5/64", "inet6", "global", 5],
  ]);
});

Deno.test("routes of the config, with clear host bits", () => {
  const routes = routeSpecs(WISHES).map(({ id, spec }) => [id, spec.scope, spec.protocol]);
  deepStrictEqual(routes, [
    ["inet4/10.0.0.1//1024", "global", "static"],
    ["inet4/10.0.0.2/10.9.0.0/16/7", "global", "static"],
    ["inet4///1024", "link", "static"],
    ["100/eth2/inet6//2001:db8:1::/48/1024", "link", "static"],
    ["inet4/10.2.0.1//1024", "global", "static"],
    ["inet4/10.2.0.2//1024", "global", "static"],
  ]);
});

Deno.test("a gateway outside of the network of ip= gets a route of its own", () => {
  const { links } = parseNetworkArguments("ip=10.0.0.5::10.9.9.9:24::eth0 ip=10.1.0.5::10.1.0.1:24::eth1");
  const routes = routeSpecs(argumentLinkWishes(links)).map(({ spec }) => [
    ...[spec.dst, spec.gateway, spec.priority, spec.scope, spec.protocol],
  ]);
  deepStrictEqual(routes, [
    ["10.9.9.9/32", "", 1024, "link", "boot"],
    ["", "10.9.9.9", 1024, "global", "boot"],
    ["", "10.1.0.1", 1025, "global", "boot"],
  ]);
});

Deno.test("two sources of one layer for one object both become wishes", () => {
  const wishes = layeredWishes([...linkSpecs(WISHES).slice(0, 1), ...linkSpecs(WISHES).slice(0, 1)]);
  deepStrictEqual(wishes.map(({ id }) => id), ["configuration/eth0", "configuration/eth0#2"]);
});

Deno.test("the name comes from the config, the command line, and the machine", () => {
  const kernel = parseNetworkArguments("talos.hostname=b");
  const specs = hostnameSpecs(CONFIG, kernel, "machine-1");
  deepStrictEqual(specs.map(({ source, spec }) => [source, spec.hostname, spec.domainname, spec.layer]), [
    ["built in", stableName("machine-1"), "", "default"],
    ["kernel argument talos.hostname=", "b", "", "cmdline"],
    ["machine.network.hostname", "a", "example.org", "configuration"],
  ]);
  const off = decodeConfig("apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n");
  deepStrictEqual(hostnameSpecs(off, parseNetworkArguments(""), "machine-1"), []);
  ok(/^monos-[0-9a-z]{3}-[0-9a-z]{3}$/.test(stableName("machine-1")) && stableName("a") !== stableName("b"));
});

Deno.test("name servers come from the config, ip=, and the defaults with the node's own domain", () => {
  const kernel = parseNetworkArguments("ip=10.0.0.5:::24::eth0::10.0.0.54");
  const rows = resolverSpecs(CONFIG, kernel, "own.example").map(({ spec }) => [
    ...[spec.layer, spec.dnsServers, spec.searchDomains, spec.searchDomainsOverridden],
  ]);
  deepStrictEqual(rows, [
    ["default", ["1.1.1.1", "8.8.8.8"], ["own.example"], false],
    ["cmdline", ["10.0.0.54"], [], false],
    ["configuration", ["10.0.0.53", "2001:db8::53"], ["example.org"], false],
  ]);
  const document = decodeConfig(
    "apiVersion: v1alpha1\nkind: ResolverConfig\nsearchDomains: {domains: [], disableDefault: true}\n" +
      "nameservers: [{address: 9.9.9.9, protocol: DoT, tlsServerName: dns.example}]\n",
  );
  const [defaults, own] = resolverSpecs(document, parseNetworkArguments(""), "own.example").map(({ spec }) => spec);
  deepStrictEqual(defaults?.searchDomains, []);
  deepStrictEqual(own?.nameServers, [{ addr: "9.9.9.9", protocol: "DoT", tlsServerName: "dns.example" }]);
  deepStrictEqual([own?.searchDomains, own?.searchDomainsOverridden], [[], true]);
});
