import { parseArgs } from "node:util";
import { endCluster } from "../node_end.ts";
import { runTask, TaskError } from "../task.ts";
import { stopVm } from "../vm.ts";

const USAGE = `Usage: deno task down [--name NAME]

Takes a node or a cluster that "up" or "boot" has started away from this machine, whatever state it is in.
Its files stay in dist/nodes.

  --name NAME    its name (default: demo, and the virtual machine vm)`;

function readNames(args: readonly string[]): string[] | "help" {
  const options = { name: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
  try {
    const { values: { name, help } } = parseArgs({ args: [...args], options });
    return help === true ? "help" : name === undefined ? ["demo", "vm"] : [name];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TaskError(error.message, USAGE, { cause: error });
  }
}

if (import.meta.main) {
  await runTask(async () => {
    const names = readNames(Deno.args);
    if (names === "help") return console.log(USAGE);
    if (Deno.uid() !== 0) throw new TaskError("Cannot take nodes away: only root may", "Run it with sudo.");
    const ended = await Promise.all(names.map(async (name) => {
      const hadVm = await stopVm(name);
      return await endCluster(name) || hadVm;
    }));
    const gone = names.filter((_, index) => ended[index]);
    const asked = names.map((name) => `"${name}"`).join(" or ");
    console.log(gone.length > 0 ? `Took away ${gone.join(", ")}.` : `There is nothing of ${asked} to take away.`);
  });
}
