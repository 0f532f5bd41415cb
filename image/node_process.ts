import { Fd, O_APPEND, O_CREAT, O_RDONLY, O_WRONLY, openFd, pipe, writeAllFd } from "../kernel/fd.ts";
import { spawnProcess } from "../kernel/process.ts";
import type { ExecSpec, ExecStatus } from "../mod/boot/mod.ts";
import { dist } from "./paths.ts";
import { TaskError } from "./task.ts";

/** A node that has been started. */
export interface StartedNode {
  /** PID 1 of the node, as this machine counts. */
  readonly initPid: number;
  /** What the wrapper tells from here on, `ended` last; ends with the wrapper. */
  readonly statuses: AsyncIterable<ExecStatus>;
}

const STATUS_FD = 3;
const GO_FD = 4;

/** How {@link startNodeProcess} starts a node. */
export interface NodeProcessOptions {
  /** The binary whose role `exec` is the wrapper; default `dist/monos`. */
  readonly program?: string;
  /** Called when the namespaces are there and nothing runs in them yet: the time to lay cables. */
  readonly onNamespaces?: (wrapperPid: number) => Promise<void>;
}

/**
 * Starts the wrapper, which makes namespaces and runs the node in them.
 * @throws {TaskError} when the wrapper ends before the node runs
 */
export async function startNodeProcess(
  spec: Omit<ExecSpec, "statusFd" | "goFd">,
  { program = dist("monos"), onNamespaces = () => Promise.resolve() }: NodeProcessOptions,
): Promise<StartedNode> {
  using log = openFd(spec.console, O_WRONLY | O_CREAT | O_APPEND, 0o644);
  using nothing = openFd("/dev/null", O_RDONLY);
  const status = pipe();
  using statusWriter = status.writer;
  const go = pipe();
  using goWriter = go.writer;
  using goReader = go.reader;
  const text = JSON.stringify({ ...spec, statusFd: STATUS_FD, goFd: GO_FD } satisfies ExecSpec);
  spawnProcess({
    path: program,
    argv: ["monos", "exec", text],
    env: {},
    fds: [nothing.number, log.number, log.number, statusWriter.number, goReader.number],
    newSession: true, // Ctrl-C is for us; we end the node in good order
  });
  statusWriter[Symbol.dispose](); // so that the pipe ends with the wrapper
  const statuses = readStatuses(status.reader);
  for await (const message of statuses) {
    if (message.stage === "namespaces") {
      await onNamespaces(message.pid);
      writeAllFd(goWriter.number, new TextEncoder().encode("go\n"));
    } else if (message.stage === "started") {
      return { initPid: message.pid, statuses };
    } else break;
  }
  const words = lastWords(spec.console);
  const isForbidden = /\b(EPERM|EACCES)\b/.test(words); // root in a container of others' may not make namespaces
  throw new TaskError(
    `Cannot start the node: ${words}`,
    isForbidden ? "Run it as root of the machine itself, or in a privileged container." : `See ${spec.console}`,
  );
}

/** What the wrapper said before it ended: the error that it died of, or its last line. */
function lastWords(console: string): string {
  const lines = Deno.readTextFileSync(console).split("\n").filter((line) => line.trim() !== "");
  const error = lines.findLast((line) => /\b\w*Error: /.test(line)) ?? lines.at(-1);
  return error?.replace(/^.*?\b\w*Error: /, "") ?? "its wrapper ended without a word";
}

/** Lines of JSON from a pipe; leaving a loop over them does not end them. */
function readStatuses(reader: Fd): AsyncIterable<ExecStatus> {
  const file = Deno.openSync(`/proc/self/fd/${reader.number}`);
  reader[Symbol.dispose]();
  const lines = statusLines(file);
  return {
    next: () => lines.next(),
    [Symbol.asyncIterator]: () => ({ next: () => lines.next() }),
  } as AsyncIterableIterator<
    ExecStatus
  >;
}

async function* statusLines(file: Deno.FsFile): AsyncGenerator<ExecStatus> {
  let rest = "";
  for await (const part of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
