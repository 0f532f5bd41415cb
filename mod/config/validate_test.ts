import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeConfig, validateConfig, type Verdict } from "./mod.ts";

const DATA = new URL("../../tests/data/config/", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, DATA));
const verdict = (text: string): Verdict => validateConfig(decodeConfig(text), "metal");

for (const folder of ["v1.7", "v1.10", "v1.12", "v1.14", "options"]) {
  for (const type of ["controlplane", "worker"]) {
    Deno.test(`validateConfig() has nothing against a generated config: ${folder}/${type}`, () => {
      deepStrictEqual(verdict(read(`${folder}/${type}.yaml`)), { errors: [], warnings: [] });
    });
  }
}

/** Accepted by other tools, and never working: no image has such a name, no probe can dial without a port. */
const STRICTER = new Set(["kubelet-bad-image", "tcp-probe-bad"]);
const cases: { name: string; outcome: string; config: string }[] = JSON.parse(read("documents.json"));
for (const { name, outcome, config } of cases.filter((each) => each.outcome !== "decode")) {
  const refuses = outcome === "invalid" || STRICTER.has(name);
  Deno.test(`validateConfig() ${refuses ? "refuses" : "accepts"} ${name}`, () => {
    const { errors } = verdict(config);
    strictEqual(errors.length > 0, refuses);
  });
}

const doc = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;
const MACHINE = `machine:\n  type: controlplane\n  ca: {crt: YQ==, key: YQ==}\n`;
const CLUSTER = "cluster: {controlPlane: {endpoint: 'https://10.0.0.1:6443'}}\n";
const rows: { what: string; text: string; errors: [line: number, path: string][]; warnings?: string[] }[] = [
  {
    what: "a config that says too little",
    text: "machine: {token: a}\n",
    errors: [[1, "machine.type"], [1, "machine.ca.crt"], [1, "machine.ca.key"], [1, "cluster.controlPlane.endpoint"]],
    warnings: [""],
  },
  { what: "an empty config", text: "# nothing\n", errors: [[1, ""]] },
  {
    what: "broken entries of machine.network",
    text:
      `${MACHINE}  install: {disk: /dev/sda}\n  network:\n    hostname: "a b"\n    nameservers: [dns.example.org]\n    extraHostEntries: [{ip: 10.0.0, aliases: [a]}]\n` +
      "    interfaces:\n    - {interface: a/b, dummy: true}\n    - {addresses: [10.0.0.300/8]}\n" +
      `    - {interface: eth0, routes: [{network: 10.0.0.0/8, gateway: "fe80::1"}, {metric: 4}]}\n${CLUSTER}`,
    errors: [
      [6, "machine.network.hostname"],
      [7, "machine.network.nameservers[0]"],
      [8, "machine.network.extraHostEntries[0].ip"],
      [10, "machine.network.interfaces[0].interface"],
      [11, "machine.network.interfaces[1]"],
      [11, "machine.network.interfaces[1].addresses[0]"],
      [12, "machine.network.interfaces[2].routes[0]"],
      [12, "machine.network.interfaces[2].routes[1]"],
    ],
  },
  {
    what: "what the kernel and /etc/resolv.conf cannot hold",
    text: doc("LinkConfig", "name: a\naddresses: [{address: 10.0.0.1/8}, {address: 10.0.0.1/24}]\n") +
      `---\n${doc("LinkConfig", "name: b\naddresses: [{address: fd00::1/64}, {address: fd00:0::1/128}]\n")}` +
      `---\n${doc("DummyLinkConfig", "name: dummy%d\n")}` +
      `---\n${doc("ResolverConfig", 'searchDomains: {domains: [a, "b c"]}\n')}`,
    errors: [[9, "addresses[1].address"], [13, "name"], [17, "searchDomains.domains[1]"]],
  },
  {
    what: "names that no certificate can hold, and an address that no link can hold twice",
    text:
      `${MACHINE}  install: {disk: /dev/sda}\n  network: {interfaces: [{interface: a, addresses: ["fd00::1/64", "fd00::1"]}]}\n  certSANs: [api.example.org, "fd00::1", bücher.example, "a b", ""]\n${CLUSTER}`,
    errors: [
      [6, "machine.certSANs[2]"],
      [6, "machine.certSANs[3]"],
      [6, "machine.certSANs[4]"],
      [5, "machine.network.interfaces[0].addresses[1]"],
    ],
  },
  {
    what: "the same thing said twice, in the old form and the new",
    text:
      `${MACHINE}  install: {disk: /dev/sda}\n  network: {hostname: a, nameservers: [1.1.1.1], interfaces: [{interface: eth0}]}\n${CLUSTER}` +
      `---\n${doc("HostnameConfig", "hostname: b\n")}---\n${
        doc("ResolverConfig", "nameservers: [{address: 9.9.9.9}]\n")
      }---\n${doc("LinkConfig", "name: eth0\n")}`,
    errors: [[8, ""], [14, "nameservers"], [18, "name"]],
  },
  {
    what: "a dummy link with too long a name",
    text: doc("DummyLinkConfig", "name: abcdefghijklmnop\n"),
    errors: [[3, "name"]],
  },
  {
    what: "routes across families",
    text: doc("LinkConfig", 'name: eth0\nroutes:\n  - {destination: 10.0.0.0/8, gateway: "fe80::1"}\n'),
    errors: [[5, "routes[0]"]],
  },
  {
    what: "a sysctl that leaves /proc/sys",
    text: doc("SysctlConfig", 'params: {"../x": "1"}\n'),
    errors: [[3, 'params["../x"]']],
  },
];
for (const { what, text, errors, warnings = [] } of rows) {
  Deno.test(`validateConfig() finds ${what}`, () => {
    const found = verdict(text);
    deepStrictEqual(found.errors.map(({ line, path }) => [line, path]), errors);
    deepStrictEqual(found.warnings.map(({ path }) => path), warnings);
  });
}

Deno.test("validateConfig() asks nobody in a container where to install", () => {
  const config = decodeConfig(MACHINE + CLUSTER);
  deepStrictEqual(validateConfig(config, "container"), { errors: [], warnings: [] });
  ok(validateConfig(config, "metal").warnings.length === 1);
});
