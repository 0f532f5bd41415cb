import { type Command, GLOBAL_FLAGS, type Program } from "./command.ts";
import type { Flag, FlagTable } from "./flags.ts";

/** Help of the whole program. */
export function programHelp(program: Program): string {
  return [
    `${program.name}: ${program.summary}`,
    "",
    `Usage: ${program.name} [flags] COMMAND`,
    "",
    ...(program.details === undefined ? [] : [program.details, ""]),
    ...commandList(program.commands),
    ...flagList("Flags of every command", GLOBAL_FLAGS),
    ...exampleList(program),
    `${program.name} help COMMAND explains a command.`,
    "",
  ].join("\n");
}

function exampleList({ name, examples = [] }: Program): string[] {
  if (examples.length === 0) return [];
  return ["Examples:", ...columns(examples.map(([line, purpose]) => [`${name} ${line}`, purpose])), ""];
}

/** Help of one command. `path` is what leads to it, the program's name first. */
export function helpText(command: Command, path: readonly string[] = [command.name]): string {
  const isGroup = command.commands.length > 0;
  const line = [...path, isGroup ? "COMMAND" : command.usage, "[flags]"].filter((word) => word !== "").join(" ");
  const [program = ""] = path;
  return [
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}`,
    "",
    `Usage: ${line}`,
    ...(command.aliases.length > 0 ? [`Also called: ${command.aliases.join(", ")}`] : []),
    "",
    ...(command.details === "" ? [] : [command.details, ""]),
    ...(command.examples.length === 0
      ? []
      : ["Examples:", ...command.examples.map((text) => `  ${program} ${text}`), ""]),
    ...(isGroup ? commandList(command.commands) : []),
    ...flagList("Flags", command.flags),
    ...flagList("Flags of every command", GLOBAL_FLAGS),
  ].join("\n");
}

function commandList(commands: readonly Command[]): string[] {
  return ["Commands:", ...columns(commands.map(({ name, summary }) => [name, summary])), ""];
}

function flagList(title: string, table: FlagTable): string[] {
  const rows = Object.entries(table).map((
    [name, found],
  ): [string, string] => [flagUsage(name, found), flagHelp(found)]);
  return rows.length === 0 ? [] : [`${title}:`, ...columns(rows), ""];
}

function flagUsage(name: string, { short, placeholder }: Flag): string {
  const letter = short === undefined ? "    " : `-${short}, `;
  return `${letter}--${name}${placeholder === undefined ? "" : ` ${placeholder}`}`;
}

function flagHelp({ help, fallbackText = "" }: Flag): string {
  return fallbackText === "" ? help : `${help} (default ${fallbackText})`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
