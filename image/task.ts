import { dist } from "./paths.ts";

/** A task cannot go on, and its user can do something about it. `hint` says what. */
export class TaskError extends Error {
  override name = "TaskError";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** A program that a task started ended with another code than 0. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly program: string;
  readonly code: number;
  /** The last lines that it wrote, both streams mixed. */
  readonly tail: string;
  constructor(program: string, code: number, tail: string) {
    super(`Cannot run "${program}": it ended with code ${code}\n${tail.replaceAll(/^/gm, "    ")}`);
    this.program = program;
    this.code = code;
    this.tail = tail;
  }
}

/**
 * Runs the body of a task. A {@link TaskError} or {@link CommandError} becomes its text and exit code 1, without the
 * stack that only helps where the task itself is wrong.
 */
export async function runTask(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof TaskError) && !(error instanceof CommandError)) throw error;
    console.error(`\n${error.message}`);
    if (error instanceof TaskError && error.hint !== undefined) console.error(error.hint);
    Deno.exit(1);
  }
}

/**
 * Shows one step of a task while it runs and how long it took, as one line on standard error.
 * `quiet` programs write to log files, so the line stays whole.
 */
export async function step<T>(what: string, body: () => Promise<T>): Promise<T> {
  const encoder = new TextEncoder();
  const started = performance.now();
  Deno.stderr.writeSync(encoder.encode(`  ${what} … `));
  try {
    const result = await body();
    Deno.stderr.writeSync(encoder.encode(`${((performance.now() - started) / 1000).toFixed(1)} s\n`));
    return result;
  } catch (error) {
    Deno.stderr.writeSync(encoder.encode("failed\n"));
    throw error;
  }
}

/** How {@link runCommand} starts a program. */
export interface CommandOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Given to the program as its standard input. */
  stdin?: string;
}

/**
 * Runs a program to its end, its output kept in `dist/cache/log/<program>.log`.
 * @throws {CommandError} when it ends with another code than 0, with the last lines of its output
 * @throws {TaskError} when there is no such program
 */
export async function runCommand(argv: readonly string[], options: CommandOptions = {}): Promise<void> {
  const program = programOf(argv);
  await Deno.mkdir(dist("cache", "log"), { recursive: true });
  using log = await Deno.open(dist("cache", "log", `${program.split("/").at(-1)}.log`), {
    write: true,
    create: true,
    truncate: true,
    read: true,
  });
  const { stdin, ...rest } = options;
  const child = spawn(program, {
    args: argv.slice(1),
    ...rest,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const tail: string[] = [];
  await Promise.all([child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream) {
      log.writeSync(chunk);
      tail.push(new TextDecoder().decode(chunk));
      if (tail.length > 64) tail.shift();
    }
  }));
  const { code } = await child.status;
  if (code !== 0) throw new CommandError(program, code, tail.join("").trimEnd().split("\n").slice(-15).join("\n"));
}

/**
 * Runs a program to its end and returns what it wrote to standard output.
 * @throws {CommandError} when it ends with another code than 0
 * @throws {TaskError} when there is no such program
 */
export async function commandOutput(argv: readonly string[], options: CommandOptions = {}): Promise<Uint8Array> {
  const program = programOf(argv);
  const { stdin: _, ...rest } = options;
  const child = spawn(program, { args: argv.slice(1), ...rest, stdin: "null", stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await child.output();
  if (code !== 0) throw new CommandError(program, code, new TextDecoder().decode(stderr).trimEnd());
  return stdout;
}

/** Whether a program of that name is in PATH. */
export async function hasProgram(name: string): Promise<boolean> {
  for (const folder of (Deno.env.get("PATH") ?? "/usr/sbin:/usr/bin:/sbin:/bin").split(":")) {
    try {
      if ((await Deno.stat(`${folder}/${name}`)).isFile) return true;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) throw error;
    }
  }
  return false;
}

function programOf(argv: readonly string[]): string {
  const program = argv[0];
  if (program === undefined) throw new TypeError("Cannot run a program: no name given");
  return program;
}

function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new TaskError(`Cannot run "${program}": no such program in PATH`, undefined, { cause: error });
  }
}
