import { NodeCgroup } from "../mod/boot/mod.ts";
import { removeNetwork } from "./cluster_network.ts";
import { isAlive, type NodeRecord, readNodeRecord } from "./node_record.ts";
import { dist, exists, removeIfThere } from "./paths.ts";
import { TaskError } from "./task.ts";

/** A node has this long to stop its services and end. */
const SHUTDOWN_MS = 15_000;
/** What was killed is gone after this time. */
const KILLED_MS = 5_000;

/** Folders of the nodes of a cluster of which something may be left. */
export async function nodeFolders(cluster: string): Promise<{ folder: string; record: NodeRecord }[]> {
  if (!await exists(dist("nodes"))) return [];
  const found: { folder: string; record: NodeRecord }[] = [];
  for await (const { name } of Deno.readDir(dist("nodes"))) {
    const folder = dist("nodes", name);
    const record = await readNodeRecord(folder);
    if (record?.cluster === cluster) found.push({ folder, record });
  }
  return found;
}

/**
 * Ends a node, in good order if it can, and removes what it leaves on this machine; its files stay.
 * @throws {TaskError} when something is left all the same
 */
export async function endNode(folder: string, { wrapper, cgroup }: NodeRecord): Promise<void> {
  const isGone = () => !isAlive(wrapper);
  if (!isGone()) {
    signal(wrapper.pid, "SIGTERM");
    if (!await within(SHUTDOWN_MS, isGone)) signal(wrapper.pid, "SIGKILL");
  }
  // The group ends whatever outlived its wrapper, and can be removed once the last process is reaped.
  const group = new NodeCgroup(cgroup);
  if (!await within(KILLED_MS, () => isGone() && group.remove())) {
    throw new TaskError(`Cannot remove the node of ${folder}: its processes in cgroup ${cgroup} do not end`);
  }
  await removeIfThere(`${folder}/overlay`);
  await removeIfThere(`${folder}/root`);
  await removeIfThere(`${folder}/node.json`);
}

/** Takes a whole cluster away. Answers whether there was anything of it. */
export async function endCluster(cluster: string): Promise<boolean> {
  const nodes = await nodeFolders(cluster);
  await Promise.all(nodes.map(({ folder, record }) => endNode(folder, record)));
  return removeNetwork(cluster) || nodes.length > 0;
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // it ended by itself
  }
}

/** Looks again and again until it is so or the time is over. */
async function within(ms: number, isSo: () => boolean): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    if (isSo()) return true;
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
