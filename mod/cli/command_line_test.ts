import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { type CommandContext, defineCommand, defineGroup, type Program } from "./command.ts";
import { parseCommandLine, runCommandLine } from "./command_line.ts";
import { flag, UsageError } from "./flags.ts";

const getFlags = {
  watch: flag.boolean({ short: "w", help: "follow" }),
  output: flag.oneOf({ short: "o", help: "form" }, ["table", "yaml", "json"], "table"),
  tail: flag.integer({ help: "lines" }, -1),
  timeout: flag.durationMs({ help: "limit" }, "30s"),
};
const program: Program = {
  name: "monosctl",
  summary: "manage machines",
  commands: [
    defineCommand({
      name: "get",
      aliases: ["g"],
      usage: "TYPE [ID]",
      summary: "show resources",
      flags: getFlags,
      run(context, { positional, flags }) {
        const { watch, output, tail, timeout } = flags;
        context.stdout.write(
          JSON.stringify({ positional, watch, output, tail, timeout, nodes: context.globals.nodes }),
        );
        return 0;
      },
    }),
    defineGroup({
      name: "config",
      summary: "talosconfig",
      commands: [
        defineCommand({ name: "merge", usage: "FILE…", summary: "merge", run: () => 0 }),
        defineCommand({
          name: "fail",
          summary: "fail",
          run: () => {
            throw new RangeError("Cannot fail: it did");
          },
        }),
      ],
    }),
  ],
};

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const result = { code: 0, out: "", err: "" };
  const base: Omit<CommandContext, "globals"> = {
    stdout: { write: (chunk) => result.out += chunk },
    stderr: { write: (chunk) => result.err += chunk },
    env: () => undefined,
    confirm: () => false,
    interrupted: () => new AbortController().signal,
  };
  result.code = await runCommandLine(program, argv, base);
  return result;
}

const lines: [argv: string, expected: object][] = [
  ["get links", { positional: ["links"] }],
  ["-n 10.5.0.2,10.5.0.3 get links lo -w -n=10.5.0.4", {
    positional: ["links", "lo"],
    watch: true,
    nodes: ["10.5.0.2", "10.5.0.3", "10.5.0.4"],
  }],
  ["g links -wo yaml", { positional: ["links"], watch: true, output: "yaml" }],
  ["get -ojson links --tail -5 --timeout=1m30s", { positional: ["links"], output: "json", tail: -5, timeout: 90_000 }],
  ["get links --watch=false -- -w", { positional: ["links", "-w"] }],
  ["-n 10.5.0.2 -- get -- -w", { positional: ["--", "-w"], nodes: ["10.5.0.2"] }],
];
for (const [argv, expected] of lines) {
  Deno.test(`runCommandLine() "${argv}"`, async () => {
    const { code, out } = await run(...argv.split(" "));
    const rest = { positional: [], watch: false, output: "table", tail: -1, timeout: 30_000, nodes: [] };
    deepStrictEqual([code, JSON.parse(out)], [0, { ...rest, ...expected }]);
  });
}

const refused: [argv: string, error: RegExp][] = [
  ["gte links", /"monosctl gte".*did you mean "get"\?/],
  ["config mrege x", /"monosctl config mrege".*did you mean "merge"\?/],
  ["get links --wacth", /"--wacth": no such flag; did you mean "--watch"\?/],
  ["get links -x", /"-x": no such flag/],
  ["get links -o yml", /"-o".*not one of table, yaml, json; did you mean "yaml"\?/],
  ["get links --tail many", /"--tail": "many" is not a whole number/],
  ["get links --tail 2147483648", /"--tail": "2147483648" is .* beyond 2147483647/],
  ["get links --timeout 5", /"--timeout": "5" is not a duration/],
  ["get links --output", /"--output": it needs a value/],
  ["get", /"monosctl get": it needs TYPE/],
  ["get a b c", /"c" is one argument too many/],
  ["config merge", /it needs FILE/],
];
for (const [argv, error] of refused) {
  Deno.test(`runCommandLine() refuses "${argv}" with exit code 2`, async () => {
    const { code, out, err } = await run(...argv.split(" "));
    deepStrictEqual([code, out], [2, ""]);
    match(err, error);
    match(err, /^error: Cannot /);
  });
}

Deno.test("parseCommandLine() throws UsageError with the names that it knows", () => {
  try {
    parseCommandLine(program, ["confg"]);
  } catch (error) {
    strictEqual(error instanceof UsageError && error.unknown?.name, "confg");
  }
});

Deno.test("runCommandLine() gives 1 for a failure", async () => {
  deepStrictEqual(await run("config", "fail"), { code: 1, out: "", err: "error: Cannot fail: it did\n" });
});

Deno.test("help of the program, a group and a command goes to stdout with exit code 0", async () => {
  for (const argv of [[], ["help"], ["--help"]]) {
    const { code, out } = await run(...argv);
    strictEqual(code, 0);
    match(
      out,
      /^monosctl: manage machines\n\nUsage: monosctl \[flags\] COMMAND\n\nCommands:\n {2}get {5}show resources\n/,
    );
  }
  match((await run("config")).out, /Usage: monosctl config COMMAND \[flags\]\n\nCommands:\n {2}merge {2}merge\n/);
  strictEqual((await run("config", "help", "merge")).out, (await run("config", "merge", "-h")).out);
  const { out } = await run("help", "get");
  strictEqual(out, (await run("get", "-h")).out);
  match(out, /^Show resources\n\nUsage: monosctl get TYPE \[ID\] \[flags\]\nAlso called: g\n/);
  match(out, /\n {2}-o, --output table\|yaml\|json {2}form \(default table\)\n/);
  match(out, /\n {2}-n, --nodes HOST,… +machines that the command is for\n/);
});
