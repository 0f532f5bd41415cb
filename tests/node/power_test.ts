/** A running node that goes down: in good order, and by force at any instant. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { planCluster } from "../../image/cluster.ts";
import { makeBridge } from "../../image/cluster_network.ts";
import { endCluster } from "../../image/node_end.ts";
import { prepareNodeFiles } from "../../image/node_files.ts";
import { startNode } from "../../image/node_start.ts";
import { buildBinary } from "../../image/tasks/build.ts";
import { buildRoot } from "../../image/tasks/root.ts";
import { ApiError } from "../../mod/api/mod.ts";
import {
  ACTIVE_MACHINE_CONFIG_ID,
  MachineConfigs,
  PERSISTENT_MACHINE_CONFIG_ID,
} from "../../resources/config/machine_config.ts";
import { BOOT_ID_ID, BootIDs } from "../../resources/runtime/boot_id.ts";
import { childOf } from "./child_of.ts";
import { CONFIG_PATH, LiveNode, NODE_CIDR, NODE_NAME } from "./live_node.ts";
import { readIfThere } from "./traces.ts";

const HEAD = "---\napiVersion: v1alpha1\nkind: ";
const KILLS = 20;
const SHUTDOWN_MS = 10_000;
/** What a service gets on the way down between SIGTERM and SIGKILL. */
const GRACE_MS = 5000;

/** A config that differs with the number. */
function numbered(config: string, number: number): string {
  return `${config}${HEAD}LinkConfig\nname: eth0\naddresses:\n    - address: 10.98.210.${number}/24\n`;
}

/** One step in the life of a service, as an event tells it. */
interface Step {
  readonly service: string;
  readonly action: string;
}

/** What the services have done since the start and do until the node ends the stream, in order. */
async function serviceSteps(node: LiveNode): Promise<Step[]> {
  const steps: Step[] = [];
  try {
    for await (const { value: { payload } } of node.machine.events({ tailEvents: -1 })) {
      if (payload?.kind === "serviceState") steps.push({ service: payload.service, action: payload.action });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the API went down
  }
  return steps;
}

/** Position of the first such step; that of one that never came is behind all others. */
function at(steps: readonly Step[], service: string, action: string): number {
  const found = steps.findIndex((step) => step.service === service && step.action === action);
  return found < 0 ? steps.length : found;
}

/** Waits until the node has powered off, however it was told to; milliseconds. */
async function poweredOff(node: LiveNode): Promise<number> {
  const start = performance.now();
  for await (const status of node.statuses) deepStrictEqual(status, { stage: "ended", code: 0, signal: 0 });
  return performance.now() - start;
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

Deno.test("a node shuts down within 10 s, its services in the reverse order of their start", async () => {
  await using node = await LiveNode.start();
  await node.healthy();
  const following = serviceSteps(node);
  const start = performance.now();
  const { code, text } = await node.ctl("shutdown");
  strictEqual(code, 0, text);
  match(text, /^10\.98\.2\.2: gone after \d+\.\d s$/m);
  await poweredOff(node);
  ok(performance.now() - start < SHUTDOWN_MS, `${performance.now() - start} ms`);
  const steps = await following;
  const services = ["apid", "containerd", "etcd"];
  // usually containerd and etcd after the API; those two need nothing of each other
  const later = (than: string) => services.filter((one) => at(steps, than, "Running") < at(steps, one, "Starting"));
  for (const older of services) {
    for (const newer of later(older)) {
      ok(at(steps, newer, "Stopping") < at(steps, newer, "Finished"), `${newer} was not told to stop`);
      ok(at(steps, newer, "Finished") < at(steps, older, "Stopping"), `${newer} outlived ${older}`);
    }
  }
  strictEqual(at(steps, "apid", "Stopping"), steps.length - 1); // told by the API itself, which was there to the end
});

Deno.test("a service that does not react is killed at its deadline, and the node shuts down within 10 s", async () => {
  await using node = await LiveNode.start();
  await node.healthy();
  Deno.kill(childOf(node.pid, "etcd"), "SIGSTOP");
  const following = serviceSteps(node);
  strictEqual((await node.ctl("shutdown", "--wait=false")).code, 0);
  const tookMs = await poweredOff(node);
  ok(tookMs > GRACE_MS / 2 && tookMs < SHUTDOWN_MS, `${tookMs} ms`);
  const steps = await following;
  const ends = ["containerd", "etcd"].map((service) => at(steps, service, "Finished"));
  deepStrictEqual([...ends, steps.length].sort((a, b) => a - b), [...ends, steps.length]);
});

Deno.test("a node shuts down when its kernel asks for it", async () => {
  await using node = await LiveNode.start();
  const target = ["--target", String(node.pid), "--mount", "--pid"];
  const { code, stderr } = await new Deno.Command("nsenter", { args: [...target, "/sbin/poweroff"] }).output();
  ok([0, 137].includes(code), new TextDecoder().decode(stderr)); // it may be among what is killed on the way down
  ok(await poweredOff(node) < SHUTDOWN_MS);
});

Deno.test("a node that is told to stop while it starts does so", async () => {
  const plan = planCluster(NODE_NAME, 1, NODE_CIDR);
  const [node] = plan.nodes;
  ok(node !== undefined);
  await buildRoot();
  await buildBinary();
  await endCluster(NODE_NAME);
  await prepareNodeFiles({ name: NODE_NAME, address: node.address, endpoints: [node.address] });
  makeBridge(plan);
  try {
    const { initPid, statuses } = await startNode(plan, node, true);
    // from before its first instruction on
    const telling = setInterval(() => readIfThere(() => Deno.kill(initPid, "SIGTERM")), 1);
    for await (const status of statuses) {
      clearInterval(telling);
      deepStrictEqual(status, { stage: "ended", code: 0, signal: 0 });
    }
  } finally {
    await endCluster(NODE_NAME);
  }
});

Deno.test("a signal that means nothing to a node does not end it", async () => {
  await using node = await LiveNode.start();
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGPIPE", "SIGALRM"] as const) {
    Deno.kill(node.pid, signal);
    await node.machine.version();
  }
  await node.healthy();
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
