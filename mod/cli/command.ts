import { flag, type Flags, type FlagTable } from "./flags.ts";

/** Where a command writes. */
export interface Writer {
  /** Writes all of `chunk` before it returns. */
  write(chunk: string | Uint8Array): void;
}

/** What a command gets from the outside. */
export interface CommandContext {
  readonly stdout: Writer;
  readonly stderr: Writer;
  /** A variable of the environment; `undefined` when unset or empty. */
  env(name: string): string | undefined;
  /** Asks on the terminal; false when there is none. */
  confirm(question: string): boolean;
  /** Aborted when the user wants to leave; from the first call on, Ctrl-C does that instead of ending the process. */
  interrupted(): AbortSignal;
  readonly globals: Globals;
}

/** The flags that every command takes. */
export const GLOBAL_FLAGS = {
  talosconfig: flag.text({
    placeholder: "FILE",
    help: "file with clusters and credentials (default $TALOSCONFIG, then ~/.talos/config, or config in $TALOS_HOME)",
  }),
  context: flag.text({ placeholder: "NAME", help: "context of that file to use instead of its current one" }),
  endpoints: flag.list({ short: "e", placeholder: "HOST,…", help: "machines to connect to, instead of the context's" }),
  nodes: flag.list({ short: "n", placeholder: "HOST,…", help: "machines that the command is for" }),
  help: flag.boolean({ short: "h", help: "show help" }),
} as const satisfies FlagTable;

/** Values of {@linkcode GLOBAL_FLAGS}. */
export type Globals = Flags<typeof GLOBAL_FLAGS>;

/** Positional arguments and flags of one call. */
export interface Arguments<F extends FlagTable = FlagTable> {
  readonly positional: readonly string[];
  readonly flags: Flags<F>;
}

/** One command, or with `commands` a group of them. */
export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The positional arguments, e.g. `TYPE [ID]`; optional ones in brackets, `…` for any number. */
  readonly usage: string;
  /** One line, lower case, no full stop. */
  readonly summary: string;
  /** Paragraphs below the usage line. */
  readonly details: string;
  /** Whole command lines without the program's name. */
  readonly examples: readonly string[];
  readonly flags: FlagTable;
  readonly commands: readonly Command[];
  /** Does the work; the exit code. What it throws is shown and gives 2 for {@linkcode UsageError}, otherwise 1. */
  run(context: CommandContext, args: Arguments): Promise<number>;
}

/** What {@linkcode defineCommand} takes: parts that are left out are empty. */
export interface CommandDefinition<F extends FlagTable> {
  name: string;
  aliases?: readonly string[];
  usage?: string;
  summary: string;
  details?: string;
  examples?: readonly string[];
  flags?: F;
  run(context: CommandContext, args: Arguments<F>): Promise<number> | number;
}

const EMPTY = { aliases: [], usage: "", details: "", examples: [], flags: {}, commands: [] } as const;

/** A command whose `run` sees its own flags typed. */
export function defineCommand<const F extends FlagTable = Record<never, never>>(
  definition: CommandDefinition<F>,
): Command {
  return {
    ...EMPTY,
    ...definition,
    // The runner fills args.flags from definition.flags, so they have its type.
    run: async (context, args) => await definition.run(context, args as Arguments<F>),
  };
}

/** A command that only holds others; called alone it is for the runner to show its help. */
export function defineGroup(group: Pick<Command, "name" | "summary" | "commands"> & Partial<Command>): Command {
  return { ...EMPTY, run: () => Promise.resolve(0), ...group };
}

/** The program: what its help starts with, and its commands. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  /** Paragraphs between the usage line and the commands. */
  readonly details?: string;
  /** Whole command lines without the program's name, and what each is good for. */
  readonly examples?: readonly (readonly [line: string, purpose: string])[];
  readonly commands: readonly Command[];
}
