import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { linksOf, parseNetworkArguments } from "./kernel_arguments.ts";

const none = { index: 0, linkName: "", address: undefined, gateway: "", hostname: "", dnsServers: [], timeServers: [] };

const cases = [
  {
    name: "all parts",
    text: "ip=10.0.0.5::10.0.0.1:255.255.255.0:node1:eth0:off:10.0.0.53:10.0.0.54:10.0.0.123",
    links: [{
      ...none,
      linkName: "eth0",
      address: "10.0.0.5/24",
      gateway: "10.0.0.1",
      hostname: "node1",
      dnsServers: ["10.0.0.53", "10.0.0.54"],
      timeServers: ["10.0.0.123"],
    }],
  },
  {
    name: "IPv6 in brackets with a length",
    text: "quiet ip=[2001:db8::5]::[2001:db8::1]:64::eth1",
    links: [{ ...none, linkName: "eth1", address: "2001:db8::5/64", gateway: "2001:db8::1" }],
  },
  { name: "an address alone", text: "ip=10.0.0.5", links: [{ ...none, address: "10.0.0.5/32" }] },
  { name: "a link and DHCP", text: "ip=eth2:dhcp", links: [{ ...none, linkName: "eth2" }] },
  { name: "DHCP in the long form", text: "ip=:::::eth2:dhcp", links: [{ ...none, linkName: "eth2" }] },
  {
    name: "several",
    text: "ip=10.0.0.5:::24::eth0 ip=eth1:dhcp",
    links: [{ ...none, linkName: "eth0", address: "10.0.0.5/24" }, { ...none, index: 1, linkName: "eth1" }],
  },
  { name: "nothing after --", text: "quiet -- ip=10.0.0.5", links: [] },
];
for (const { name, text, links } of cases) {
  Deno.test(`parseNetworkArguments() reads ${name}`, () => {
    const parsed = parseNetworkArguments(text);
    deepStrictEqual(parsed.links, links);
    deepStrictEqual(parsed.notes, []);
  });
}

for (
  const text of [
    ...["ip=dhcp", "ip=off", "ip=nonsense", "ip=10.0.0.300:::24", "ip=10.0.0.5:::255.0.255.0", "ip=10.0.0.5:::33"],
    ...["ip=[2001:db8::5", "ip=::10.0.0.1:24", "ip=10.0.0.5::nowhere:24"],
  ]
) {
  Deno.test(`parseNetworkArguments() leaves out ${text} with a note`, () => {
    const parsed = parseNetworkArguments(text);
    deepStrictEqual([parsed.links.length, parsed.notes.length], [0, 1]);
  });
}

Deno.test("parseNetworkArguments() prefers talos.hostname= to the name in ip=", () => {
  strictEqual(parseNetworkArguments("ip=10.0.0.5:::24:a:eth0").hostname, "a");
  const parsed = parseNetworkArguments('ip=10.0.0.5:::24:a:eth0 talos.hostname="b.example.org"');
  deepStrictEqual([parsed.hostname, parsed.hostnameSource], ["b.example.org", "kernel argument talos.hostname="]);
});

Deno.test("parseNetworkArguments() leaves out names that are none", () => {
  const parsed = parseNetworkArguments(`ip=10.0.0.5:::24:a/b:eth0 talos.hostname=${"x".repeat(64)}`);
  deepStrictEqual([parsed.hostname, parsed.notes.length, parsed.links[0]?.address], ["", 2, "10.0.0.5/24"]);
});

Deno.test("linksOf() takes the first card by name where none is given, and skips ignored ones", () => {
  const parsed = parseNetworkArguments("ip=10.0.0.5:::24 ip=10.1.0.5:::24::eth9 talos.network.interface.ignore=eth9");
  const names = (...present: [name: string, isCard: boolean][]) =>
    linksOf(parsed, present.map(([name, isCard]) => ({ name, isCard }))).map((link) => link.linkName);
  deepStrictEqual(names(["eth1", true], ["eth0", true]), ["eth0"]);
  deepStrictEqual(names(["cni0", false], ["eth1", true]), ["eth1"]);
  deepStrictEqual(names(["vb", false], ["va", false]), ["va"]);
  deepStrictEqual(names(["eth9", true], ["va", false]), ["va"]);
  deepStrictEqual(names(), []);
});
