import {
  type Arguments,
  type Command,
  type CommandContext,
  GLOBAL_FLAGS,
  type Globals,
  type Program,
} from "./command.ts";
import { fallbacks, type FlagTable, readFlag, UsageError } from "./flags.ts";
import { helpText, programHelp } from "./help.ts";

/** Exit codes of every command. */
export const EXIT = { success: 0, failure: 1, usage: 2 } as const;

/** A command line, understood but not checked for the number of positional arguments. */
export interface Invocation {
  /** The commands named, from the outermost in; none for the program alone. */
  path: readonly Command[];
  globals: Globals;
  args: Arguments;
}

/**
 * Reads a command line. Flags may stand before, between and behind commands and arguments; after `--` there are none.
 * @throws {UsageError} an unknown command or flag, a flag's value is missing or malformed.
 */
export function parseCommandLine(program: Program, argv: readonly string[]): Invocation {
  const path: Command[] = [];
  const positional: string[] = [];
  const values: Record<string, unknown> = {};
  let table: FlagTable = GLOBAL_FLAGS;
  let mayBeFlag = true;
  for (let at = 0; at < argv.length;) {
    const arg = argv[at] ?? "";
    if (mayBeFlag && arg === "--") {
      mayBeFlag = false;
      at++;
      continue;
    }
    if (mayBeFlag && arg.startsWith("-") && arg !== "-") {
      const read = readFlag(table, values, argv.slice(at, at + 2));
      Object.assign(values, Object.fromEntries(read.values));
      at += read.used;
      continue;
    }
    at++;
    const level = path.at(-1)?.commands ?? program.commands;
    if (level.length === 0 || positional.length > 0) positional.push(arg);
    else if (arg === "help") values.help = true;
    else {
      const command = findCommand(level, arg, [program.name, ...path.map(({ name }) => name)]);
      path.push(command);
      table = { ...GLOBAL_FLAGS, ...path[0]?.flags, ...command.flags };
    }
  }
  const all = { ...fallbacks(table), ...values };
  return { path, globals: all as Globals, args: { positional, flags: all } }; // built from GLOBAL_FLAGS
}

function findCommand(level: readonly Command[], name: string, path: readonly string[]): Command {
  const found = level.find((command) => command.name === name || command.aliases.includes(name));
  if (found !== undefined) return found;
  const names = level.flatMap((command) => [command.name, ...command.aliases]);
  throw new UsageError(`Cannot run "${[...path, name].join(" ")}": no such command`, { name, candidates: names });
}

/**
 * Runs a command line to its end: shows help where it is asked for, errors on stderr as one line.
 * @returns 0, 1 for a failure, 2 for wrong use.
 */
export async function runCommandLine(
  program: Program,
  argv: readonly string[],
  base: Omit<CommandContext, "globals">,
): Promise<number> {
  try {
    const { path, globals, args } = parseCommandLine(program, argv);
    const command = path.at(-1);
    const names = [program.name, ...path.map(({ name }) => name)];
    if (command === undefined) base.stdout.write(programHelp(program));
    else if (globals.help || command.commands.length > 0) base.stdout.write(helpText(command, names));
    else {
      checkCount(command, args.positional, names);
      return await command.run({ ...base, globals }, args);
    }
    return EXIT.success;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.success; // the reader, such as `head`, has enough
    base.stderr.write(await errorLine(error));
    if (!(error instanceof UsageError)) return EXIT.failure;
    base.stderr.write(`${program.name} help shows the commands, COMMAND --help their flags\n`);
    return EXIT.usage;
  }
}

/** What stderr shows of an error, with the nearest name when one was not known. */
export async function errorLine(error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  return `error: ${message}${error instanceof UsageError ? await suggestion(error) : ""}\n`;
}

/** Loads what it needs only now: nothing that works pays for it. */
async function suggestion({ unknown }: UsageError): Promise<string> {
  if (unknown === undefined) return "";
  const { nearest } = await import("../schema/mod.ts");
  const found = nearest(unknown.name, unknown.candidates);
  return found === undefined ? "" : `; did you mean "${found}"?`;
}

/** Counts positional arguments against the usage text, e.g. `TYPE [ID]`. */
function checkCount({ usage }: Command, positional: readonly string[], names: readonly string[]): void {
  const words = usage.split(" ").filter((word) => word !== "");
  const required = words.filter((word) => !word.startsWith("[")).length;
  const maximum = usage.includes("…") ? Infinity : words.length;
  const line = names.join(" ");
  if (positional.length < required) {
    throw new UsageError(`Cannot run "${line}": it needs ${words.slice(0, required).join(" ")}`);
  }
  if (positional.length > maximum) {
    throw new UsageError(`Cannot run "${line}": "${positional[maximum]}" is one argument too many`);
  }
}
