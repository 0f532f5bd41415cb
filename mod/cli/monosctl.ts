import { changeCommands } from "./change_commands.ts";
import { defineCommand, type Program } from "./command.ts";
import { runCommandLine } from "./command_line.ts";
import { configCommands } from "./config_commands.ts";
import { UsageError } from "./flags.ts";
import { nodeCommands } from "./node_commands.ts";
import { systemContext } from "./system_context.ts";

const completionCommand = defineCommand({
  name: "completion",
  usage: "SHELL",
  summary: "print a script that completes commands and flags in bash or zsh",
  examples: ["completion bash > /etc/bash_completion.d/monosctl"],
  async run({ stdout }, { positional: [shell = ""] }) {
    if (shell !== "bash" && shell !== "zsh") {
      throw new UsageError(`Cannot complete in "${shell}": there are scripts for bash and zsh`, {
        name: shell,
        candidates: ["bash", "zsh"],
      });
    }
    const { completionScript } = await import("./completion.ts");
    stdout.write(completionScript(MONOSCTL, shell));
    return 0;
  },
});

/** The command line of the machine API. */
export const MONOSCTL: Program = {
  name: "monosctl",
  summary: "talk to Monos machines, and to Talos Linux machines",
  details: [
    "A machine answers only to holders of a certificate of its cluster. It lies in a talosconfig, together with the",
    "machines' addresses; name that file with --talosconfig, or add it to your own with `config merge FILE`.",
    "-n names the machines a command is for, -e those to connect to; both have their usual values in the talosconfig.",
  ].join("\n"),
  examples: [
    ["--talosconfig ./talosconfig -n 10.5.0.2 version", "see whether a machine answers"],
    ["config merge ./talosconfig", "need no --talosconfig from now on"],
    ["services", "see whether all is well"],
    ["get rd", "see what there is to get"],
    ["get addresses -w", "watch addresses come and go"],
    ["apply-config -f config.yaml --dry-run", "see what a config would change"],
  ],
  commands: [...nodeCommands, ...changeCommands, ...configCommands, completionCommand],
};

/**
 * Runs `monosctl` with this process' streams.
 * @param argv what follows the program's name.
 * @returns the exit code: 0, 1 for a failure, 2 for wrong use.
 */
export function runMonosctl(argv: readonly string[]): Promise<number> {
  return runCommandLine(MONOSCTL, argv, systemContext());
}
