import { planCluster } from "../../image/cluster.ts";
import { makeBridge } from "../../image/cluster_network.ts";
import { endCluster } from "../../image/node_end.ts";
import { prepareNodeFiles } from "../../image/node_files.ts";
import type { StartedNode } from "../../image/node_process.ts";
import { startNode } from "../../image/node_start.ts";
import { waitForPort } from "../../image/reach.ts";
import { buildBinary } from "../../image/tasks/build.ts";
import { buildRoot } from "../../image/tasks/root.ts";
import { API_PORT, ApiClient, MachineClient } from "../../mod/api/mod.ts";
import { credentialsOf, readTalosconfig } from "../../mod/cli/mod.ts";

/** A node of its own for benches, with a client; gone when disposed. */
export class BenchNode implements AsyncDisposable {
  private constructor(
    readonly address: string,
    readonly client: ApiClient,
    /** The config it was started with. */
    readonly config: string,
    readonly started: StartedNode,
    /** From the start of PID 1 to the answer to a first call, milliseconds. */
    readonly startMs: number,
    readonly name: string,
  ) {}

  static async start(name: string, cidr: string): Promise<BenchNode> {
    const plan = planCluster(name, 1, cidr);
    const [node] = plan.nodes;
    if (node === undefined) throw new Error("Cannot start a node: the plan is empty");
    await buildRoot();
    await buildBinary();
    await endCluster(name);
    const { address } = node;
    const files = await prepareNodeFiles({ name: node.name, address, endpoints: [address] });
    const credentials = await credentialsOf({
      path: files.talosconfig,
      config: await readTalosconfig(files.talosconfig),
    });
    makeBridge(plan);
    const started = await startNode(plan, node, true);
    const start = performance.now();
    await waitForPort(address, API_PORT, 60_000);
    const client = new ApiClient({ endpoints: [address], ...credentials });
    await new MachineClient(client).version();
    return new BenchNode(address, client, files.config, started, performance.now() - start, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await endCluster(this.name);
  }
}
