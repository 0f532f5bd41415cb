import { isAlive, readNodeRecord } from "./node_record.ts";
import { dist } from "./paths.ts";
import { TaskError } from "./task.ts";
import { runningPid } from "./vm.ts";

/**
 * Makes sure that neither a node nor a virtual machine of that name runs: both kinds have their files in the same folder.
 * @throws {TaskError} with the way out
 */
export async function requireUnusedName(name: string): Promise<void> {
  const record = await readNodeRecord(dist("nodes", name));
  const isNode = record !== undefined && isAlive(record.wrapper);
  if (!isNode && await runningPid(name) === undefined) return;
  throw new TaskError(
    `Cannot start "${name}": ${isNode ? "a node" : "a virtual machine"} of that name is running`,
    `Take it away with the task "down --name ${isNode ? record.cluster : name}", or give another --name.`,
  );
}
