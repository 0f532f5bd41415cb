import { ok, rejects } from "node:assert/strict";
import { requireUnusedName } from "./name_in_use.ts";
import { knownProcess, writeNodeRecord } from "./node_record.ts";
import { dist, removeIfThere } from "./paths.ts";
import { TaskError } from "./task.ts";

Deno.test("requireUnusedName() finds a node and a virtual machine, and neither once it has ended", async () => {
  const name = "test-name";
  const folder = dist("nodes", name);
  await requireUnusedName(name);
  await Deno.mkdir(folder, { recursive: true });
  try {
    const pidFile = `${folder}/qemu.pid`;
    await Deno.writeTextFile(pidFile, "");
    const machine = new Deno.Command("tail", { args: ["-f", pidFile], stdout: "piped" }).spawn();
    await Deno.writeTextFile(pidFile, `${machine.pid}\n`);
    const output = machine.stdout.getReader();
    await output.read(); // it runs
    await rejects(requireUnusedName(name), TaskError);
    machine.kill("SIGKILL");
    await Promise.all([machine.status, output.cancel()]);
    await requireUnusedName(name);

    const wrapper = knownProcess(Deno.pid);
    ok(wrapper !== undefined);
    await writeNodeRecord(folder, { cluster: name, cgroup: "", wrapper });
    await rejects(requireUnusedName(name), TaskError);
    await writeNodeRecord(folder, { cluster: name, cgroup: "", wrapper: { ...wrapper, start: "0" } });
    await requireUnusedName(name);
  } finally {
    await removeIfThere(folder);
  }
});
