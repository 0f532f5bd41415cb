import { readIfThere } from "./traces.ts";

/** The child of a process that runs a program, by its number on this machine. */
export function childOf(parent: number, program: string): number {
  for (const { name } of Deno.readDirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readIfThere(() => Deno.readTextFileSync(`/proc/${name}/stat`)) : undefined;
    if (stat?.split(") ").at(-1)?.split(" ")[1] !== String(parent)) continue;
    if (stat.includes(`(${program})`)) return Number(name);
  }
  throw new Error(`Cannot find ${program}: it is no child of process ${parent}`);
}
