import { changeCommands } from "./change_commands.ts";
import type { Program } from "./command.ts";
import { runCommandLine } from "./command_line.ts";
import { configCommands } from "./config_commands.ts";
import { nodeCommands } from "./node_commands.ts";
import { systemContext } from "./system_context.ts";

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
  commands: [...nodeCommands, ...changeCommands, ...configCommands],
};

/**
 * Runs `monosctl` with this process' streams.
 * @param argv what follows the program's name.
 * @returns the exit code: 0, 1 for a failure, 2 for wrong use.
 */
export function runMonosctl(argv: readonly string[]): Promise<number> {
  return runCommandLine(MONOSCTL, argv, systemContext());
}
