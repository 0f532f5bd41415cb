import { strictEqual } from "node:assert/strict";
import { nearest } from "./nearest.ts";

const NAMES = ["hostname", "interfaces", "nameservers", "searchDomains", "mtu", "id", "dhcp"];
const cases: [name: string, found: string | undefined][] = [
  ["hostnme", "hostname"],
  ["hosntame", "hostname"],
  ["hostnames", "hostname"],
  ["searchdomains", "searchDomains"],
  ["nameserver", "nameservers"],
  ["mut", "mtu"],
  ["ids", "id"],
  ["dhpc", "dhcp"],
  ["x", undefined],
  ["gateway", undefined],
  ["", undefined],
];
for (const [name, found] of cases) {
  Deno.test(`nearest() of "${name}" is ${found}`, () => strictEqual(nearest(name, NAMES), found));
}

Deno.test("nearest() prefers the nearer one, then the first", () => {
  strictEqual(nearest("links", ["linkss", "link", "links"]), "links");
  strictEqual(nearest("linkz", ["linkx", "links"]), "linkx");
});
