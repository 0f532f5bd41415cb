import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dist } from "../../image/paths.ts";
import { buildRoot } from "../../image/tasks/root.ts";
import { readMounts } from "../../kernel/mount.ts";
import type { ExecSpec } from "../../mod/boot/mod.ts";

const REPO = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const ROLE = `import { runExec } from "${new URL("../../mod/boot/mod.ts", import.meta.url)}";
  Deno.exit(await runExec(Deno.args[0] ?? ""));`;
const SELF = Deno.realPathSync(Deno.execPath());

/** A node of the real root tree, whose PID 1 is the fixture beside this file, run by the Deno of this test. */
function nodeSpec(folder: string): ExecSpec {
  for (const name of ["target", "upper", "work", "var", "cache"]) Deno.mkdirSync(`${folder}/${name}`);
  return {
    root: dist("root"),
    target: `${folder}/target`,
    overlay: { upper: `${folder}/upper`, work: `${folder}/work` },
    binds: [
      { source: `${folder}/var`, target: "/var" },
      { source: SELF, target: "/usr/bin/deno", readOnly: true },
      { source: REPO, target: REPO, readOnly: true },
    ],
    console: `${folder}/console.log`,
    argv: ["/usr/bin/deno", "run", "-A", "--no-lock", `${REPO}/tests/netns/services_pid1.ts`],
    env: { PATH: "/usr/bin", DENO_DIR: "/var/deno", NO_COLOR: "1" },
    hostname: "one",
    cgroup: `monos-test/${Deno.pid}`,
    dieWithParent: true,
  };
}

Deno.test("containerd and etcd run as services of PID 1, survive kill -9 and a restart of the node", async () => {
  await buildRoot();
  const folder = Deno.makeTempDirSync({ prefix: "services-" });
  const before = [readMounts().length, cgroupCount()];
  try {
    const spec = nodeSpec(folder);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", `--config=${REPO}/deno.json`, ROLE, JSON.stringify(spec)],
    }).output();
    const console = Deno.readTextFileSync(spec.console);
    strictEqual(code, 0, console);
    const steps = console.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const order = ["init", "up", "kept", "init", "up", "kept", "killed", "killed", "zombies"];
    deepStrictEqual(steps.map(({ step }) => step), order, console);
    const [init, up, kept, , , keptAgain, ...rest] = steps;
    strictEqual(init.mode, "container");
    for (const [, state, restarts, health] of up.services) {
      deepStrictEqual([state, restarts, health.healthy, health.unknown], ["Running", 0, true, false]);
    }
    deepStrictEqual([kept.count, keptAgain.count], ["0", "1"]);
    for (const { restarts, healthy, isNew } of rest.slice(0, 2)) {
      deepStrictEqual([restarts, healthy, isNew], [1, true, true]);
    }
    strictEqual(rest[2].count, 0);
    ok(rest[2].members <= 1);
    deepStrictEqual([readMounts().length, cgroupCount()], before);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Lines of /proc/cgroups end in the number of groups of each controller, which must be as it was. */
function cgroupCount(): string {
  const mounts = readMounts().filter(({ type }) => type === "cgroup" || type === "cgroup2");
  return mounts.map(({ target }) => [...Deno.readDirSync(target)].some(({ name }) => name === "monos-test")).join();
}
