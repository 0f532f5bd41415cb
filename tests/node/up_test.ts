/** `up` and `down` as a user runs them: what comes, and that nothing of it stays. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dist } from "../../image/paths.ts";
import { readNodeRecord } from "../../image/node_record.ts";
import { monosctl, runProjectTask, startProjectTask } from "./task.ts";
import { traces } from "./traces.ts";

const NAME = "tup";
const ADDRESS = ["--name", NAME, "--cidr", "10.98.1.0/24"];
const READY = "is up. Its API: 10.98.1.2:50000";

/** Whatever a test did, nothing of the cluster stays for the next one. */
async function cleanly(body: () => Promise<void>): Promise<void> {
  await runProjectTask("down", "--name", NAME);
  const before = traces();
  try {
    await body();
  } finally {
    strictEqual((await runProjectTask("down", "--name", NAME)).code, 0);
  }
  deepStrictEqual(traces(), before);
}

Deno.test("up --detach starts a node, and down leaves nothing", () =>
  cleanly(async () => {
    const { code, text } = await runProjectTask("up", ...ADDRESS, "--detach");
    strictEqual(code, 0, text);
    ok(text.includes(READY), text);
    strictEqual(text.match(/monosctl --talosconfig/g)?.length, 3, text);
    const console = await Deno.readTextFile(dist("nodes", NAME, "console.log"));
    ok(!console.includes("bytecode"), `the bytecode in the binary is refused: ${console}`);
    const again = await runProjectTask("up", ...ADDRESS, "--detach");
    strictEqual(again.code, 1);
    match(again.text, /it is running/);
  }));

Deno.test("up in the foreground takes everything away at Ctrl-C", () =>
  cleanly(async () => {
    const before = traces();
    const child = await startProjectTask(READY, "up", ...ADDRESS);
    notStrictEqual(traces().links.length, before.links.length);
    child.kill("SIGINT");
    await Promise.all([child.stdout.cancel(), child.stderr.cancel()]).catch(() => {}); // the last reader has them
    strictEqual((await child.status).code, 0);
    deepStrictEqual(traces(), before);
  }));

Deno.test("up in the foreground goes on while one of its nodes does", () =>
  cleanly(async () => {
    const child = await startProjectTask(READY, "up", ...ADDRESS, "--nodes", "2");
    const off = await monosctl(NAME, "-n", "10.98.1.3", "-e", "10.98.1.3", "shutdown");
    strictEqual(off.code, 0, off.text);
    const one = ["-n", "10.98.1.2", "-e", "10.98.1.2"];
    strictEqual((await monosctl(NAME, ...one, "version")).code, 0);
    strictEqual((await monosctl(NAME, ...one, "shutdown")).code, 0);
    await Promise.all([child.stdout.cancel(), child.stderr.cancel()]).catch(() => {}); // the last reader has them
    strictEqual((await child.status).code, 0);
  }));

Deno.test("down finds everything after up was killed", () =>
  cleanly(async () => {
    const child = await startProjectTask(READY, "up", ...ADDRESS);
    child.kill("SIGKILL");
    await child.status;
  }));

Deno.test("down finds everything after the node was killed", () =>
  cleanly(async () => {
    strictEqual((await runProjectTask("up", ...ADDRESS, "--detach")).code, 0);
    const record = await readNodeRecord(dist("nodes", NAME));
    ok(record !== undefined);
    Deno.kill(record.wrapper.pid, "SIGKILL");
  }));

Deno.test("up starts several nodes on one bridge", () =>
  cleanly(async () => {
    const { code, text } = await runProjectTask("up", ...ADDRESS, "--nodes", "2", "--detach");
    strictEqual(code, 0, text);
    ok(await readNodeRecord(dist("nodes", `${NAME}-2`)) !== undefined);
  }));

Deno.test("up gives a node another config, whatever it kept", () =>
  cleanly(async () => {
    strictEqual((await runProjectTask("up", ...ADDRESS, "--detach")).code, 0);
    strictEqual((await runProjectTask("down", "--name", NAME)).code, 0);
    const path = await Deno.makeTempFile({ suffix: ".yaml" });
    try {
      const kept = await Deno.readTextFile(dist("nodes", NAME, "controlplane.yaml"));
      const hostname = `given-${Date.now()}`;
      await Deno.writeTextFile(path, kept.replace(/^(auto|hostname): .*$/m, `hostname: ${hostname}`));
      const { code, text } = await runProjectTask("up", ...ADDRESS, "--detach", "--config", path);
      strictEqual(code, 0, text);
      match((await monosctl(NAME, "get", "hostname")).text, new RegExp(` ${hostname} `));
    } finally {
      await Deno.remove(path);
    }
  }));

Deno.test("up says what is in the way, in one line with the way out, and starts nothing", async (t) => {
  const cases = [
    {
      name: "a network in use",
      args: ["--name", NAME, "--cidr", "127.0.0.0/24"],
      words: /this machine has 127\.0\.0\.1/,
    },
    {
      name: "no such config",
      args: [...ADDRESS, "--config", "/nowhere.yaml"],
      words: /there is no file "\/nowhere.yaml"/,
    },
    { name: "a bad name", args: ["--name", "No", "--detach"], words: /Cannot name a cluster "No"/ },
    { name: "an unknown flag", args: ["--nmae", "x"], words: /--nmae/ },
  ];
  for (const { name, args, words } of cases) {
    await t.step(name, () =>
      cleanly(async () => {
        const { code, text } = await runProjectTask("up", ...args);
        strictEqual(code, 1, text);
        match(text, words);
      }));
  }
});

Deno.test("up refuses a config that cannot be read, with the place", () =>
  cleanly(async () => {
    const path = await Deno.makeTempFile({ suffix: ".yaml" });
    try {
      await Deno.writeTextFile(path, "version: v1alpha1\nmachine:\n  typ: worker\n");
      const { code, text } = await runProjectTask("up", ...ADDRESS, "--config", path);
      strictEqual(code, 1, text);
      match(text, /line 3, column 3.*typ.*type/s);
    } finally {
      await Deno.remove(path);
    }
  }));
