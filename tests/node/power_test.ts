/** A running node that goes down: in good order, and by force at any instant. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ApiError } from "../../mod/api/mod.ts";
import {
  ACTIVE_MACHINE_CONFIG_ID,
  MachineConfigs,
  PERSISTENT_MACHINE_CONFIG_ID,
} from "../../resources/config/machine_config.ts";
import { BOOT_ID_ID, BootIDs } from "../../resources/runtime/boot_id.ts";
import { CONFIG_PATH, LiveNode } from "./live_node.ts";

const HEAD = "---\napiVersion: v1alpha1\nkind: ";
const KILLS = 20;

/** A config that differs with the number. */
function numbered(config: string, number: number): string {
  return `${config}${HEAD}LinkConfig\nname: eth0\naddresses:\n    - address: 10.98.210.${number}/24\n`;
}

/** Services in the order in which they said this, until the node ends the stream. */
async function servicesThat(node: LiveNode, isIt: (action: string) => boolean): Promise<string[]> {
  const order: string[] = [];
  try {
    for await (const { value: { payload } } of node.machine.events({ tailEvents: 0 })) {
      if (payload?.kind === "serviceState" && isIt(payload.action)) order.push(payload.service);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the API went down
  }
  return order;
}

Deno.test("a node reboots with another boot id and the config that was applied", async () => {
  await using node = await LiveNode.start();
  await node.healthy();
  const bootId = async () => (await node.spec(BootIDs, BOOT_ID_ID))?.bootID;
  const before = await bootId();
  const text = numbered(node.config, 1);
  await node.apply(text);
  await node.apply(numbered(node.config, 2), "try", 600_000);
  const { code, text: output } = await node.ctl("reboot", "--timeout", "1m");
  strictEqual(code, 0, output);
  deepStrictEqual(await node.restarted(), ["restarting", "started"]);
  match(output, /^10\.98\.2\.2: back after \d+\.\d s$/m);
  notStrictEqual(await bootId(), before);
  for (const id of [ACTIVE_MACHINE_CONFIG_ID, PERSISTENT_MACHINE_CONFIG_ID]) {
    strictEqual((await node.spec(MachineConfigs, id))?.yaml, text);
  }
  await node.inKernel(() => {
    const addresses = node.addresses().filter((prefix) => prefix.startsWith("10.98.210."));
    deepStrictEqual(addresses, ["10.98.210.1/24"]);
  });
  await node.healthy();
});

Deno.test("a node shuts down within 10 s, its services first and the API last", async () => {
  await using node = await LiveNode.start();
  await node.healthy();
  const stopped = servicesThat(node, (action) => action === "Finished");
  const start = performance.now();
  const { code, text } = await node.ctl("shutdown");
  strictEqual(code, 0, text);
  match(text, /^10\.98\.2\.2: gone after \d+\.\d s$/m);
  for await (const status of node.statuses) deepStrictEqual(status, { stage: "ended", code: 0, signal: 0 });
  ok(performance.now() - start < 10_000, `${performance.now() - start} ms`);
  deepStrictEqual((await stopped).sort(), ["containerd", "etcd"]); // told by the API, which was there to the end
});

Deno.test("a config on disk is the old or the new one, whenever the node is killed", async () => {
  let old: string | undefined;
  for (let round = 0; round < KILLS; round++) {
    await using node = await LiveNode.start(round === 0 ? undefined : "keep");
    old ??= node.config;
    strictEqual(await Deno.readTextFile(CONFIG_PATH), old, `round ${round}`);
    for (const id of [ACTIVE_MACHINE_CONFIG_ID, PERSISTENT_MACHINE_CONFIG_ID]) {
      strictEqual((await node.spec(MachineConfigs, id))?.yaml, old, `round ${round}`);
    }
    old = await killedWhileApplying(node, old, round);
  }
});

/** Applies one config after the other until the node is killed, at an instant that nobody chose; the config on disk. */
async function killedWhileApplying(node: LiveNode, first: string, round: number): Promise<string> {
  const delayMs = Math.random() * 60;
  let [confirmed, next] = [first, first];
  setTimeout(() => Deno.kill(node.pid, "SIGKILL"), delayMs);
  try {
    for (let count = 1;; count++) {
      next = numbered(node.config, 1 + (round * 7 + count) % 250);
      await node.apply(next);
      confirmed = next;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  for await (const status of node.statuses) strictEqual(status.stage === "ended" && status.signal, 9);
  const kept = await Deno.readTextFile(CONFIG_PATH);
  ok(kept === confirmed || kept === next, `round ${round}, killed after ${delayMs} ms: the config is neither`);
  return kept;
}
