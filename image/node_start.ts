import type { ClusterNode, ClusterPlan } from "./cluster.ts";
import { connectNode, netmaskOf } from "./cluster_network.ts";
import { type StartedNode, startNodeProcess } from "./node_process.ts";
import { knownProcess, writeNodeRecord } from "./node_record.ts";
import { dist, removeIfThere } from "./paths.ts";
import { TaskError } from "./task.ts";

/**
 * Starts one node of a cluster whose bridge is there and whose files are prepared.
 * @param detach it outlives this process
 */
export async function startNode(plan: ClusterPlan, node: ClusterNode, detach: boolean): Promise<StartedNode> {
  const { folder, name, address, cgroup } = node;
  const gateway = plan.gateway.split("/")[0];
  await removeIfThere(`${folder}/overlay`); // the root is made anew each time; what lasts is in var
  for (const part of ["overlay/upper", "overlay/work", "root", "var"]) {
    await Deno.mkdir(`${folder}/${part}`, { recursive: true });
  }
  await Deno.writeFile(`${folder}/console.log`, new Uint8Array());
  const spec = {
    root: dist("root"),
    target: `${folder}/root`,
    overlay: { upper: `${folder}/overlay/upper`, work: `${folder}/overlay/work` },
    binds: [
      { source: dist("monos"), target: "/sbin/init", readOnly: true },
      { source: `${folder}/controlplane.yaml`, target: "/usr/local/etc/talos/config.yaml", readOnly: true },
      { source: `${folder}/var`, target: "/var" },
    ],
    console: `${folder}/console.log`,
    // As a kernel hands its command line to init; the address is one that a machine could have got the same way.
    argv: [
      "/sbin/init",
      "talos.platform=container",
      `talos.hostname=${name}`,
      `ip=${address}::${gateway}:${netmaskOf(plan.gateway)}::eth0:off`,
    ],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/", TERM: "linux" },
    hostname: name,
    cgroup,
    holdSignals: true,
    dieWithParent: !detach,
  };
  const onNamespaces = async (wrapperPid: number) => {
    const wrapper = knownProcess(wrapperPid);
    if (wrapper === undefined) throw new TaskError(`Cannot start "${name}": its wrapper has ended`);
    await writeNodeRecord(folder, { cluster: plan.name, cgroup, wrapper });
    connectNode(plan, node, wrapperPid);
  };
  return await startNodeProcess(spec, { onNamespaces });
}
