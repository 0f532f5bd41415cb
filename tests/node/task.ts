import { fileURLToPath } from "node:url";

const REPO = fileURLToPath(new URL("../..", import.meta.url));

/** What a finished task left. */
export interface TaskResult {
  readonly code: number;
  readonly text: string;
}

/** Runs a task of the project as a user does, to its end; both streams as one text. */
export async function runProjectTask(name: string, ...args: string[]): Promise<TaskResult> {
  const { code, stdout, stderr } = await taskCommand(name, args).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

/** Starts a task and answers once it has printed `words`. @throws {Error} when it ends without. */
export async function startProjectTask(words: string, name: string, ...args: string[]): Promise<Deno.ChildProcess> {
  const child = taskCommand(name, args).spawn();
  let text = "";
  const errors = new Response(child.stderr).text();
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes(words)) return child;
  }
  throw new Error(`Cannot start task ${name}: it ended without "${words}"\n${text}${await errors}`);
}

/** The task's script itself, so that a signal reaches it and not a runner around it. */
function taskCommand(name: string, args: readonly string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", `${REPO}image/tasks/${name}.ts`, ...args],
    cwd: REPO,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs the client for a node. */
export async function monosctl(node: string, ...args: string[]): Promise<TaskResult> {
  const talosconfig = `${REPO}dist/nodes/${node}/talosconfig`;
  const { code, stdout, stderr } = await new Deno.Command(`${REPO}dist/monosctl`, {
    args: ["--talosconfig", talosconfig, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}
