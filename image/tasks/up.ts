import { parseArgs } from "node:util";
import { API_PORT, ApiClient, MachineClient } from "../../mod/api/mod.ts";
import { credentialsOf, readTalosconfig } from "../../mod/cli/mod.ts";
import { type ClusterNode, type ClusterPlan, planCluster } from "../cluster.ts";
import { makeBridge } from "../cluster_network.ts";
import { endCluster, nodeFolders } from "../node_end.ts";
import { requireUnusedName } from "../name_in_use.ts";
import { type NodeFiles, prepareNodeFiles } from "../node_files.ts";
import type { StartedNode } from "../node_process.ts";
import { isAlive } from "../node_record.ts";
import { startNode } from "../node_start.ts";
import { waitForPort } from "../reach.ts";
import { runTask, step, TaskError } from "../task.ts";
import { ensurePackages } from "./apt.ts";
import { buildBinary } from "./build.ts";
import { printHints, type ReachableNode } from "./hints.ts";
import { buildRoot } from "./root.ts";

const USAGE = `Usage: deno task up [--name NAME] [--config FILE] [--nodes COUNT] [--cidr NETWORK] [--detach]

Starts nodes in namespaces of this machine, each in an overlay of the root tree, on a bridge of their own.

  --name NAME     name of the cluster and of its first node (default: demo)
  --config FILE   use this machine config, instead of a generated one
  --nodes COUNT   how many nodes (default: 1)
  --cidr NETWORK  addresses: this machine gets the first, the nodes the next (default: 10.5.0.0/24)
  --detach        leave them running; without, Ctrl-C takes them away`;

/** A node answers within a second; the rest is for a machine that is busy. */
const READY_TIMEOUT_MS = 60_000;

interface UpFlags {
  plan: ClusterPlan;
  config: string | undefined;
  detach: boolean;
}

async function up({ plan, config, detach }: UpFlags): Promise<void> {
  requireRights();
  for (const { record } of await nodeFolders(plan.name)) {
    if (!isAlive(record.wrapper)) continue;
    throw new TaskError(
      `Cannot start cluster "${plan.name}": it is running`,
      `Take it away with the task "down --name ${plan.name}", or give another --name and --cidr.`,
    );
  }
  for (const { name } of plan.nodes) await requireUnusedName(name);
  await ensurePackages(["libmnl0"]);
  await endCluster(plan.name); // what a crash has left
  const files = await nodeFiles(plan, config);
  await buildRoot();
  await buildBinary();
  makeBridge(plan);
  const interrupted = detach ? undefined : interruption();
  let first: ReachableNode | undefined;
  try {
    const nodes: StartedNode[] = [];
    for (const node of plan.nodes) {
      nodes.push(await step(`start ${node.name} at ${node.address}`, () => startNode(plan, node, detach)));
    }
    for (const [index, started] of nodes.entries()) {
      const [node, own] = [plan.nodes[index], files[index]];
      if (node === undefined || own === undefined) continue;
      await step(`wait for the API of ${node.name}`, () => waitForApi(node, own, started, interrupted));
      if (index > 0) continue;
      first = { talosconfig: own.talosconfig, node: node.address, name: node.name };
    }
    if (first !== undefined) printHints(first);
    if (interrupted === undefined) return;
    console.log("\nCtrl-C takes it away.");
    const endings = nodes.map(async (node, index) => {
      await ended(node);
      console.log(`The node "${plan.nodes[index]?.name}" has ended.`);
    });
    await Promise.race([interrupted, Promise.all(endings)]);
  } catch (error) {
    await endCluster(plan.name); // nothing half started stays
    throw error;
  }
  await step(`take ${plan.name} away`, () => endCluster(plan.name));
}

function requireRights(): void {
  if (Deno.build.os !== "linux") {
    throw new TaskError("Cannot start nodes: they need a Linux kernel", "Use the task boot.");
  }
  if (Deno.uid() !== 0) {
    throw new TaskError("Cannot start nodes: namespaces, mounts and links are for root", "Run it with sudo.");
  }
}

/** Configs and the client's file. All nodes share one config; the clients' file names all of them. */
async function nodeFiles(plan: ClusterPlan, config: string | undefined): Promise<NodeFiles[]> {
  const made: NodeFiles[] = [];
  for (const { name, address } of plan.nodes) {
    const shared = made.length === 0 ? config : `${plan.nodes[0]?.folder}/controlplane.yaml`;
    made.push(
      await prepareNodeFiles({
        name,
        address,
        endpoints: plan.nodes.map((node) => node.address),
        ...(shared === undefined ? {} : { configFile: shared }),
      }),
    );
  }
  return made;
}

/** Asks the API, with the client's own certificate, until it answers. */
async function waitForApi(
  { name, address, folder }: ClusterNode,
  { talosconfig }: NodeFiles,
  node: StartedNode,
  interrupted: Promise<void> | undefined,
): Promise<void> {
  const credentials = await credentialsOf({ path: talosconfig, config: await readTalosconfig(talosconfig) });
  using client = new ApiClient({ endpoints: [address], ...credentials });
  const machine = new MachineClient(client);
  const deadline = performance.now() + READY_TIMEOUT_MS;
  const hasEnded = ended(node).then(() => "ended" as const);
  const hasStopped = interrupted ?? new Promise<never>(() => {});
  await Promise.race([waitForPort(address, API_PORT, READY_TIMEOUT_MS), hasEnded, hasStopped]);
  for (;;) {
    const answer = await Promise.race([
      machine.version({ timeoutMs: 2_000 }).then(() => "up" as const, (cause: unknown) => cause),
      hasEnded,
      hasStopped,
    ]);
    if (answer === "up") return;
    if (answer === undefined) throw new TaskError("Interrupted");
    if (answer === "ended" || performance.now() > deadline) {
      const why = answer instanceof Error ? answer.message : "it ended";
      throw new TaskError(`Cannot reach the API of "${name}": ${why}`, `See ${folder}/console.log`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function ended({ statuses }: StartedNode): Promise<void> {
  for await (const { stage } of statuses) if (stage === "ended") return;
}

/** Settles at Ctrl-C or SIGTERM, from now on. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => resolve());
  });
}

function readFlags(args: readonly string[]): UpFlags | "help" {
  const options = {
    name: { type: "string", default: "demo" },
    config: { type: "string" },
    nodes: { type: "string", default: "1" },
    cidr: { type: "string", default: "10.5.0.0/24" },
    detach: { type: "boolean", default: false },
    help: { type: "boolean", default: false, short: "h" },
  } as const;
  try {
    const { values: { help, name, config, nodes, cidr, detach } } = parseArgs({ args: [...args], options });
    return help ? "help" : { plan: planCluster(name, Number(nodes), cidr), config, detach };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TaskError(error.message, USAGE, { cause: error });
  }
}

if (import.meta.main) {
  await runTask(async () => {
    const flags = readFlags(Deno.args);
    if (flags === "help") console.log(USAGE);
    else await up(flags);
  });
  Deno.exit(0); // gRPC keeps sockets around
}
