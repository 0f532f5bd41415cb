/** How controllers fare and why resources are as they are, as a person sees it on a running node. */
import { match, ok, strictEqual } from "node:assert/strict";
import { AddressSpecs } from "../../resources/network/address_spec.ts";
import { LiveNode } from "./live_node.ts";

const DUMMY = `---
apiVersion: v1alpha1
kind: DummyLinkConfig
name: dummy7
addresses:
  - address: 10.77.0.1/24
`;

Deno.test("get controllers and explain on a node", async (t) => {
  await using node = await LiveNode.start();

  await t.step("get controllers", async () => {
    const { code, text } = await node.ctl("get", "controllers");
    strictEqual(code, 0, text);
    const [head = "", ...lines] = text.trimEnd().split("\n").map((line) => line.replaceAll(/ +/g, " "));
    strictEqual(head, "NODE NAMESPACE TYPE ID VERSION STATE RUNS RESTARTS QUEUE LAST RUN MS LAST ERROR");
    ok(lines.length > 30, text);
    const merge = lines.find((line) => line.includes("network.AddressMergeController"));
    match(
      merge ?? "",
      / runtime ControllerStatus network\.AddressMergeController \d+ (idle|running) [1-9]\d* 0 0 [\d.]+ ?$/,
    );
  });

  await t.step("explain goes from a resource back to the config", async () => {
    await node.during(node.config + DUMMY, async () => {
      await node.until(AddressSpecs, async () => {
        ok(await node.spec(AddressSpecs, "dummy7/10.77.0.1/24") !== undefined);
      });
      const { code, text } = await node.ctl("explain", "addressspecs", "dummy7/10.77.0.1/24");
      strictEqual(code, 0, text);
      match(text, /^AddressSpecs\.net\.talos\.dev network\/dummy7\/10\.77\.0\.1\/24 version \d+/);
      match(text, /^ {2}written by network\.AddressMergeController at \S+Z, woken by$/m);
      match(
        text,
        /^ {4}AddressSpecs\.net\.talos\.dev network-config\/configuration\/dummy7\/.* from DummyLinkConfig\/dummy7$/m,
      );
      match(text, /^ {6}written by network\.AddressConfigController at \S+Z, woken by$/m);
      match(text, /^ {8}MachineConfigs\.config\.talos\.dev config\/v1alpha1 version \d+/m);
      match(text, /^ {10}written by config\.AcquireController at \S+Z, woken from outside$/m);
      match(text, /^FIELD +LAYER +SOURCE$/m);
      match(text, /^address +configuration +DummyLinkConfig\/dummy7$/m);
    });
  });

  await t.step("explain tells what is not there", async () => {
    const { code, text } = await node.ctl("explain", "addressspecs", "none");
    strictEqual(code, 1);
    match(text, /none/);
  });
});
