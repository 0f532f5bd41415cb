import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { CommandContext, Program } from "./command.ts";
import { runCommandLine } from "./command_line.ts";
import { configCommands, contextInfo } from "./config_commands.ts";
import { relativeTime } from "./relative_time.ts";
import { readTalosconfig } from "./talosconfig.ts";

const FIXTURE = new URL("../../tests/data/config/v1.12/talosconfig", import.meta.url).pathname;
const program: Program = { name: "monosctl", summary: "", commands: configCommands };

/** Runs `config …` on the talosconfig of an empty home folder. */
async function atHome(use: (run: (line: string) => Promise<string>, path: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir();
  const run = async (line: string) => {
    let output = "";
    const base: Omit<CommandContext, "globals"> = {
      stdout: { write: (chunk) => output += chunk },
      stderr: { write: (chunk) => output += `! ${chunk}` },
      env: (name) => name === "HOME" ? home : undefined,
      confirm: () => false,
      interrupted: () => new AbortController().signal,
    };
    const code = await runCommandLine(program, ["config", ...line.split(" ")], base);
    return `${output}${code}`;
  };
  try {
    await use(run, `${home}/.talos/config`);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("config: merge into nothing, endpoint, node, contexts, context, remove", () =>
  atHome(async (run, path) => {
    strictEqual(await run(`merge ${FIXTURE}`), "0");
    strictEqual(await run(`merge ${FIXTURE}`), "0");
    strictEqual(await run("endpoint 10.5.0.2 10.5.0.3"), "0");
    strictEqual(await run("node 10.5.0.2"), "0");
    strictEqual(await run(`merge ${FIXTURE}`), `context "demo" is called "demo-1" in ${path}\n0`);
    strictEqual(
      await run("contexts"),
      [
        "CURRENT   NAME     ENDPOINTS           NODES",
        "          demo     10.5.0.2,10.5.0.3   10.5.0.2",
        "*         demo-1                       ",
        "0",
      ].join("\n"),
    );
    match(await run("remove demo-1 -y"), /^! error: .*choose another.*\n1$/);
    match(await run("context dem"), /"contexts.dem" does not exist; there are: demo, demo-1\n1$/);
    strictEqual(await run("context demo"), "0");
    match(await run("remove demo-1"), /nothing removed.*\n1$/);
    match(await run("remove demo-1 --dry-run"), /^would remove "demo-1" from .*\n0$/);
    strictEqual(await run("remove demo-1 --noconfirm"), "0");
    strictEqual(await run("endpoint --context demo"), "0");
    deepStrictEqual((await readTalosconfig(path)).contexts.demo?.endpoints, []);
  }));

Deno.test("config info: text, json, and without a file", () =>
  atHome(async (run) => {
    match(await run("info"), /does not exist.*--talosconfig FILE\n1$/);
    const lines = (await run(`info --talosconfig ${FIXTURE}`)).split("\n");
    deepStrictEqual(lines.slice(0, 4), [
      "Current context:     demo",
      "Nodes:               not defined",
      "Endpoints:           not defined",
      "Roles:               os:admin",
    ]);
    match(lines[4] ?? "", /^Certificate expires: .* \(2027-11-29\)$/);
    strictEqual(JSON.parse((await run(`info -o json --talosconfig ${FIXTURE}`)).slice(0, -1)).context, "demo");
  }));

Deno.test("config add: from files, and refused when they do not parse", () =>
  atHome(async (run, path) => {
    const { contexts } = await readTalosconfig(FIXTURE);
    const folder = await Deno.makeTempDir({ dir: path.replace("/.talos/config", "") });
    for (const field of ["ca", "crt", "key"] as const) {
      await Deno.writeTextFile(`${folder}/${field}`, atob(contexts.demo?.[field] ?? ""));
    }
    const files = `--ca ${folder}/ca --crt ${folder}/crt`;
    match(await run(`add lab ${files} --key ${folder}/none`), /^! error: Cannot read .*none/);
    match(await run(`add lab ${files}`), /"contexts.lab.key" is missing\n1$/);
    strictEqual(await run(`add lab ${files} --key ${folder}/key -e 10.5.0.2`), "0");
    deepStrictEqual(await readTalosconfig(path), {
      context: "lab",
      contexts: { lab: { ...contexts.demo, endpoints: ["10.5.0.2"] } },
    });
    match(await run(`add lab ${files} --key ${folder}/key`), /exists already/);
    strictEqual(await run("add attic"), "0");
    match(await run("get-contexts"), /\n +attic +\n\* +lab +10\.5\.0\.2 +\n0$/);
  }));

Deno.test("contextInfo() counts to the end of the certificate", async () => {
  const file = { path: FIXTURE, config: await readTalosconfig(FIXTURE) };
  const info = await contextInfo(file, undefined, new Date("2027-11-20T00:00:00Z"));
  deepStrictEqual(info.certTTL, "1 week from now");
});

const DAY = 86400;
const spans: [seconds: number, text: string][] = [
  [0, "now"],
  [1, "1 second from now"],
  [-90, "1 minute ago"],
  [23 * 3600, "23 hours from now"],
  [6 * DAY, "6 days from now"],
  [29 * DAY, "4 weeks from now"],
  [359 * DAY, "11 months from now"],
  [365 * DAY, "1 year from now"],
  [-800 * DAY, "2 years ago"],
];
for (const [seconds, text] of spans) {
  Deno.test(`relativeTime() of ${seconds} s is ${text}`, () => {
    const now = new Date("2026-11-29T00:00:00Z");
    strictEqual(relativeTime(new Date(now.getTime() + seconds * 1000), now), text);
  });
}
