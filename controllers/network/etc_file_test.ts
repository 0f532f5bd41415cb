import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decodeConfig } from "../../mod/config/mod.ts";
import { hostsFile, resolvConf } from "./etc_file.ts";
import { configHostEntries } from "./host_entries.ts";
import { staticHosts } from "./static_host.ts";

const CONFIG = decodeConfig(`
version: v1alpha1
machine:
  network:
    extraHostEntries: [{ip: 10.0.0.9, aliases: [nine, nine.example.org]}]
---
apiVersion: v1alpha1
kind: StaticHostConfig
name: 2001:DB8::9
hostnames: [nine]
`);
const NAME = { hostname: "a", domainname: "example.org" };

Deno.test("hostsFile() names the loopback, the node, and what the config adds", () => {
  strictEqual(
    hostsFile(NAME, ["10.0.0.5/24"], configHostEntries(CONFIG)),
    `127.0.0.1       localhost
10.0.0.5        a.example.org a
::1             localhost ip6-localhost ip6-loopback
ff02::1         ip6-allnodes
ff02::2         ip6-allrouters
10.0.0.9        nine nine.example.org
2001:db8::9     nine
`,
  );
});

Deno.test("hostsFile() has localhost before the node has an address", () => {
  const lines = hostsFile({ hostname: "a", domainname: "" }, [], []).split("\n");
  strictEqual(lines[0], "127.0.0.1       localhost");
  strictEqual(lines.length, 5);
});

Deno.test("resolvConf() lists three plain servers at most, and the search domains", () => {
  const server = (addr: string, protocol: "Do53" | "DoT" = "Do53") => ({ addr, protocol, tlsServerName: "" });
  const nameServers = [server("9.9.9.9", "DoT"), ...["1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"].map((a) => server(a))];
  strictEqual(
    resolvConf({ dnsServers: [], nameServers, searchDomains: ["example.org", "b"] }),
    "nameserver 1.1.1.1\nnameserver 2.2.2.2\nnameserver 3.3.3.3\nsearch example.org b\n",
  );
  strictEqual(resolvConf({ dnsServers: [], nameServers: [], searchDomains: [] }), "");
});

Deno.test("staticHosts() gathers the addresses of each name", () => {
  const hosts = staticHosts(CONFIG, NAME, ["10.0.0.5/24"]).map(({ id, spec }) => [id, spec.addresses]);
  deepStrictEqual(hosts, [
    ["a", ["10.0.0.5"]],
    ["a.example.org", ["10.0.0.5"]],
    ["nine", ["10.0.0.9", "2001:db8::9"]],
    ["nine.example.org", ["10.0.0.9"]],
  ]);
});
