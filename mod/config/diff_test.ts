import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { changesNeedReboot, decodeConfig, diffConfig } from "./mod.ts";

const BEFORE = `machine:
  type: worker
  token: abcdef.0123456789abcdef
  network: {hostname: a}
cluster: {id: one, token: abcdef.0123456789abcdef}
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
mtu: 1400
`;

Deno.test("diffConfig() of texts that say the same is empty", () => {
  const rewritten = BEFORE.replace("{hostname: a}", "\n    hostname: 'a' # quoted").replace("mtu: 1400", "mtu: 0x578");
  strictEqual(diffConfig(BEFORE, rewritten), "");
});

Deno.test("diffConfig() shows each document that changes, without its secrets", () => {
  const after = BEFORE.replace("hostname: a", "hostname: b").replace("token: abcdef.0123456789abcdef", "token: changed")
    .replace(/---[^]*/, "---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n");
  strictEqual(
    diffConfig(BEFORE, after),
    `--- v1alpha1
+++ v1alpha1
@@ -1,8 +1,8 @@
 machine:
     type: worker
-    token: "****** (1)"
+    token: "****** (2)"
     network:
-        hostname: a
+        hostname: b
 cluster:
     id: one
     token: "****** (1)"
--- LinkConfig/eth0
+++ /dev/null
@@ -1,4 +0,0 @@
-apiVersion: v1alpha1
-kind: LinkConfig
-name: eth0
-mtu: 1400
--- /dev/null
+++ HostnameConfig
@@ -0,0 +1,3 @@
+apiVersion: v1alpha1
+kind: HostnameConfig
+auto: "off"
`,
  );
});

Deno.test("diffConfig() of documents that have little in common shows both whole, at once", () => {
  const sysctls = (count: number, value: string) =>
    `machine:\n  sysctls:\n${Array.from({ length: count }, (_, at) => `    a.b${at}: ${value}\n`).join("")}`;
  const start = performance.now();
  const [minus, plus, range, ...lines] = diffConfig(sysctls(20_000, "1"), sysctls(20_001, "2")).split("\n");
  ok(performance.now() - start < 10_000);
  deepStrictEqual([minus, plus, range], ["--- v1alpha1", "+++ v1alpha1", "@@ -1,20002 +1,20003 @@"]);
  strictEqual(lines.filter((line) => /^[-+]/.test(line)).length, 20_002 + 20_003);
});

Deno.test("changesNeedReboot() names what the running machine cannot take up", () => {
  const needs = (from: string, to: string) =>
    changesNeedReboot(decodeConfig(BEFORE), decodeConfig(BEFORE.replace(from, to)));
  deepStrictEqual(needs("hostname: a", "hostname: b"), []);
  deepStrictEqual(needs("mtu: 1400", "mtu: 1500"), []);
  deepStrictEqual(needs("type: worker", "type: controlplane"), ["machine.type"]);
  ok(needs("id: one", "id: two").includes("cluster.id"));
});
