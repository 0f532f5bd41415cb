import { exists, writeWhole } from "./paths.ts";

/** A process, told from a later one with the same number by its start. */
export interface KnownProcess {
  readonly pid: number;
  /** Clock ticks after the machine's start, field 22 of /proc/PID/stat. */
  readonly start: string;
}

/** What is needed to take a node away, written as soon as it is known. */
export interface NodeRecord {
  readonly cluster: string;
  readonly cgroup: string;
  /** Holds the namespaces, and hands SIGTERM on to the node. */
  readonly wrapper: KnownProcess;
}

/** Remembers a node in its folder. */
export async function writeNodeRecord(folder: string, record: NodeRecord): Promise<void> {
  await writeWhole(`${folder}/node.json`, `${JSON.stringify(record, null, 2)}\n`);
}

/** The node of a folder; undefined when none was left there. @throws {SyntaxError} for a file that is none of ours */
export async function readNodeRecord(folder: string): Promise<NodeRecord | undefined> {
  const path = `${folder}/node.json`;
  return await exists(path) ? JSON.parse(await Deno.readTextFile(path)) : undefined;
}

/** The process with this number now; undefined when there is none, or only its remains wait for their parent. */
export function knownProcess(pid: number): KnownProcess | undefined {
  let stat: string;
  try {
    stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound || (error instanceof Error && "code" in error && error.code === "ESRCH")
    ) {
      return undefined;
    }
    throw error;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold spaces; field 3 is first
  const [state, start = ""] = [fields[0], fields[19]];
  return state === "Z" || state === "X" ? undefined : { pid, start };
}

/** Whether exactly this process still runs. */
export function isAlive({ pid, start }: KnownProcess): boolean {
  return knownProcess(pid)?.start === start;
}
