import { deepEqual, deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { ConfigError, decodeConfig, documentOf, documentsOf, encodeConfig, type Problem } from "./mod.ts";

const DATA = new URL("../../tests/data/config/", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, DATA));

const FILES = ["v1.7", "v1.10", "v1.12", "v1.14", "options"].flatMap((folder) =>
  ["controlplane", "worker"].map((type) => ({ path: `${folder}/${type}.yaml`, type }))
);
for (const { path, type } of FILES) {
  Deno.test(`decodeConfig() reads what other tools generate: ${path}`, () => {
    const config = decodeConfig(read(path));
    strictEqual(config.v1alpha1?.machine?.type, type);
    ok(config.v1alpha1.machine.ca?.crt?.startsWith("-----BEGIN CERTIFICATE-----"));
    const again = decodeConfig(encodeConfig(config));
    deepEqual(
      again.documents.map(({ kind, value }) => ({ kind, value })),
      config.documents.map(({ kind, value }) => ({ kind, value })),
    );
  });
}

const cases: { name: string; outcome: string; config: string }[] = JSON.parse(read("documents.json"));
for (const { name, outcome, config } of cases) {
  Deno.test(`decodeConfig() ${outcome === "decode" ? "refuses" : "accepts"} ${name}`, () => {
    if (outcome === "decode") throws(() => decodeConfig(config), ConfigError);
    else ok(decodeConfig(config).documents.length > 0);
  });
}

function problemsOf(text: string): readonly Problem[] {
  try {
    decodeConfig(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
const link = (body: string) => `apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n${body}`;

Deno.test("decodeConfig() says where a key is wrong and which one was meant", () => {
  const text = `machine:\n  netwrok:\n    hostname: a\n  sysctls: [a]\n---\n${
    link("mtuu: 3\n")
  }---\nkind: LinkConfg\napiVersion: v1alpha1\n`;
  deepStrictEqual(problemsOf(text).map(({ document, line, column, path }) => [document, line, column, path]), [
    [1, 2, 3, "machine.netwrok"],
    [1, 4, 12, "machine.sysctls"],
    [2, 9, 1, "mtuu"],
    [3, 11, 7, "kind"],
  ]);
  const [unknown, , , kind] = problemsOf(text);
  ok(unknown?.message.includes('"network"') && kind?.message.includes('"LinkConfig"'));
});

const REFUSED: Record<string, { text: string; at: [document: number, line: number, column: number] }> = {
  "an unknown apiVersion": { text: "apiVersion: v1\nkind: LinkConfig\nname: a\n", at: [1, 1, 13] },
  "two documents without kind": { text: "debug: true\n---\ndebug: false\n", at: [2, 3, 1] },
  "a second unnamed document": {
    text:
      "kind: HostnameConfig\napiVersion: v1alpha1\nauto: off\n---\nkind: HostnameConfig\napiVersion: v1alpha1\nauto: off\n",
    at: [2, 5, 1],
  },
  "a list as document": { text: "- a\n", at: [1, 1, 1] },
  "a key that is a list": { text: "? [a]\n: 1\n", at: [1, 1, 3] },
  "an alias without anchor": { text: link("mtu: *x\n"), at: [1, 4, 6] },
  "a tag of its own": { text: link("mtu: !custom 3\n"), at: [1, 4, 14] },
  "a quoted number": { text: link('mtu: "1400"\n'), at: [1, 4, 6] },
  "a fraction": { text: link("mtu: 1.5\n"), at: [1, 4, 6] },
  "a merge key with an unknown key": {
    text: link("routes:\n  - &r {gateway: 10.0.0.1}\n  - {<<: *r, nope: 1}\n"),
    at: [1, 6, 14],
  },
};
for (const [what, { text, at }] of Object.entries(REFUSED)) {
  Deno.test(`decodeConfig() refuses ${what}`, () => {
    deepStrictEqual(problemsOf(text).map(({ document, line, column }) => [document, line, column]), [at]);
  });
}

Deno.test("decodeConfig() takes the YAML that people write", () => {
  const config = decodeConfig(
    `# a comment only\n---\n${
      link("up: yes\nmtu: 0x5dc\nroutes:\n  - &r {gateway: 10.0.0.1, metric: 0o10}\n  - {<<: *r, metric: 7}\n  - *r\n")
    }---\n---\n` +
      "machine:\n  sysctls: &s {a: 1.10, b: yes, c: null}\n  token: ~\n  env: *s\n",
  );
  const [eth0] = documentsOf(config, "LinkConfig");
  deepEqual(eth0?.value, {
    name: "eth0",
    up: true,
    mtu: 1500,
    routes: [{ gateway: "10.0.0.1", metric: 8 }, { gateway: "10.0.0.1", metric: 7 }, {
      gateway: "10.0.0.1",
      metric: 8,
    }],
  });
  strictEqual(eth0?.line, 3);
  deepEqual(config.v1alpha1?.machine?.sysctls, { a: "1.10", b: "yes", c: "" });
  ok(Object.isFrozen(eth0.value.routes) && !("token" in (config.v1alpha1?.machine ?? {})));
});

Deno.test("decodeConfig() keeps keys like __proto__ as data", () => {
  const params =
    documentOf(decodeConfig("kind: SysctlConfig\napiVersion: v1alpha1\nparams: {__proto__: x}\n"), "SysctlConfig")
      ?.value.params ?? {};
  deepStrictEqual(Object.entries(params), [["__proto__", "x"]]);
});

Deno.test("decodeConfig() shows no secret in a message", () => {
  const text = "machine:\n  token: [hunter2]\n  ca: {key: hunter2}\n";
  throws(() => decodeConfig(text), (error) => error instanceof ConfigError && !error.message.includes("hunter2"));
});

const lol = Array.from(
  { length: 12 },
  (_, level) => `    a${level}: &a${level} [${level === 0 ? "x" : Array(9).fill(`*a${level - 1}`).join(", ")}]`,
);
const HOSTILE: Record<string, string> = {
  "aliases that multiply": `machine:\n  seccompProfiles:\n  - name: a\n    value:\n${
    lol.map((line) => `  ${line}`).join("\n")
  }\n`,
  "an alias within itself": "machine:\n  pods: &p\n    - *p\n",
  "a merge within itself": "machine:\n  sysctls: &s\n    <<: *s\n",
  "deep nesting": `machine: {pods: ${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "deep nesting of a free value": `machine: {pods: ${"[".repeat(500)}${"]".repeat(500)}}`,
  "unclosed nesting": "[".repeat(50_000),
  "too much text": "#".repeat(4 * 1024 * 1024 + 1),
  "too many documents": "---\n".repeat(20_000),
  "too many parts": `machine: {pods: [${"{a: 1},".repeat(100_000)}]}`,
  "many equal documents": "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n---\n".repeat(2_000),
  "many unknown keys": Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join(""),
};
for (const [what, text] of Object.entries(HOSTILE)) {
  Deno.test(`decodeConfig() refuses ${what}`, () => {
    const problems = problemsOf(text);
    ok(problems.length > 0 && problems.length <= 50);
  });
}

Deno.test("decodeConfig() takes files of any editor, put together: byte order marks, line ends of Windows", () => {
  const parts = ["debug: true\n", link("mtu: 1400\n")].map((text) => `\ufeff${text.replaceAll("\n", "\r\n")}`);
  const { documents } = decodeConfig(parts.join("---\r\n"));
  deepEqual(documents.map(({ value }) => value), [{ debug: true }, { name: "eth0", mtu: 1400 }]);
});

Deno.test("decodeConfig() reads the same text once", () => {
  const text = read("v1.14/worker.yaml");
  strictEqual(decodeConfig(text), decodeConfig(`${text}`));
});

Deno.test("decodeConfig() names what nothing uses yet", () => {
  const text = "debug: false\nmachine:\n  type: worker\n  install: {disk: /dev/sda}\n  kubelet: {}\n" +
    "  acceptedCAs: [{crt: YQ==}]\n  features: {nodeAddressSortAlgorithm: v2, rbac: true}\n  network:\n    disableSearchDomain: true\n    interfaces:\n" +
    "      - {interface: eth0, dhcp: true}\n      - {interface: eth1, dhcp: true, mtu: 1400}\n---\n" +
    "kind: ResolverConfig\napiVersion: v1alpha1\nhostDNS: {enabled: true}\n---\nkind: KubeletConfig\napiVersion: v1alpha1\nimage: x\n";
  deepStrictEqual(decodeConfig(text).unused, [
    "machine.install",
    "machine.features.rbac",
    "machine.network.interfaces[].dhcp",
    "ResolverConfig.hostDNS",
    "KubeletConfig",
  ]);
});
