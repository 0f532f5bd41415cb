import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dist } from "../../image/paths.ts";
import { knownProcess } from "../../image/node_record.ts";
import { buildRoot } from "../../image/tasks/root.ts";
import { readMounts } from "../../kernel/mount.ts";
import { type ExecSpec, NodeCgroup } from "../../mod/boot/mod.ts";

const REPO = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const ROLE = `import { runExec } from "${new URL("../../mod/boot/mod.ts", import.meta.url)}";
  Deno.exit(await runExec(Deno.args[0] ?? ""));`;
const GROUP = `monos-test-${Deno.pid}`;
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
    cgroup: `${GROUP}/one`,
    dieWithParent: true,
  };
}

Deno.test("containerd and etcd run as services of PID 1, survive kill -9 and a restart of the node", async () => {
  await buildRoot();
  const folder = Deno.makeTempDirSync({ prefix: "services-" });
  const before = [readMounts().length, ownGroups()];
  try {
    const spec = nodeSpec(folder);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", `--config=${REPO}/deno.json`, ROLE, JSON.stringify(spec)],
    }).output();
    const console = Deno.readTextFileSync(spec.console);
    strictEqual(code, 0, console + new TextDecoder().decode(stderr));
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
    deepStrictEqual([readMounts().length, ownGroups()], before);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (const victim of ["wrapper", "node"] as const) {
  Deno.test(`kill -9 of the ${victim} ends all of the node`, async () => {
    await buildRoot();
    const folder = Deno.makeTempDirSync({ prefix: "services-" });
    const before = [readMounts().length, ownGroups()];
    const script = `import { earlyInit } from "${new URL("../../mod/boot/mod.ts", import.meta.url)}";
      earlyInit(); console.log("ready");`;
    const argv = ["/usr/bin/deno", "eval", "--no-lock", `--config=${REPO}/deno.json`, script];
    const spec: ExecSpec = { ...nodeSpec(folder), argv, statusFd: 1 };
    const wrapper = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", `--config=${REPO}/deno.json`, ROLE, JSON.stringify(spec)],
      ...{ stdin: "null", stdout: "piped" },
    }).spawn();
    const text = wrapper.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let told = "";
    while (!told.includes("started")) told += (await text.read()).value;
    const pid = Number(/"started","pid":(\d+)/.exec(told)?.[1]);
    await eventually(() => Deno.readTextFileSync(spec.console).includes("ready"));
    Deno.kill(victim === "node" ? pid : wrapper.pid, "SIGKILL");
    strictEqual((await wrapper.status).code, 137);
    await eventually(() => knownProcess(pid) === undefined); // whose child it became may be slow to reap it
    // who is killed cannot clean up; the next start or "down" does
    if (victim === "wrapper") await eventually(() => new NodeCgroup(spec.cgroup ?? "").remove());
    deepStrictEqual([readMounts().length, ownGroups()], before);
    await text.cancel();
    await Deno.remove(folder, { recursive: true });
  });
}

/** Looks again every millisecond, for at most ten seconds. */
async function eventually(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error("It never came true");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Whether each hierarchy of the host has groups of this test. */
function ownGroups(): string {
  const mounts = readMounts().filter(({ type }) => type === "cgroup" || type === "cgroup2");
  return mounts.map(({ target }) => [...Deno.readDirSync(target)].some(({ name }) => name === GROUP)).join();
}
