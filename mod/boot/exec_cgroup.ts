import { readMounts } from "../../kernel/mount.ts";

/** One hierarchy of the host, v1 or v2. */
interface Hierarchy {
  readonly mountPoint: string;
  /** Where the process was at first, below the mount point, with a slash in front. */
  readonly home: string;
  readonly isCpuset: boolean;
}

/**
 * The group of a node in every hierarchy of the host: what runs in the node can be counted, limited and ended, and
 * its cgroup namespace starts here, so that groups made inside lie below and go with it.
 */
export class NodeCgroup {
  readonly #group: string;
  readonly #hierarchies: readonly Hierarchy[];

  /** @param group path below the root of each hierarchy, e.g. `monos/demo` */
  constructor(group: string) {
    this.#group = group;
    this.#hierarchies = readHierarchies();
  }

  /** Makes the group and moves this process there. */
  enter(): void {
    for (const { mountPoint, isCpuset } of this.#hierarchies) {
      let path = mountPoint;
      for (const part of this.#group.split("/")) {
        const parent = path;
        path = `${path}/${part}`;
        makeFolder(path);
        if (isCpuset) { for (const name of ["cpuset.cpus", "cpuset.mems"]) inherit(parent, path, name); }
      }
      join(path);
    }
  }

  /** Moves this process back, kills what is left in the group, and removes it. */
  leave(): void {
    for (const { mountPoint, home } of this.#hierarchies) join(`${mountPoint}${home}`);
    this.remove();
  }

  /**
   * Kills what is in the group and the groups below, and removes them all, with the folders above as far as they
   * are empty. Nothing happens if there is no such group. Only for who is not in it.
   *
   * @returns whether it is gone everywhere; a process that is still ending keeps a group for a moment
   */
  remove(): boolean {
    const parts = this.#group.split("/");
    return this.#hierarchies.map(({ mountPoint }) => {
      const isGone = removeTree(`${mountPoint}/${this.#group}`);
      for (let depth = parts.length - 1; depth > 0; depth--) {
        if (!removeFolder([mountPoint, ...parts.slice(0, depth)].join("/"))) break;
      }
      return isGone;
    }).every((isGone) => isGone);
  }
}

function readHierarchies(): Hierarchy[] {
  const mounts = readMounts().filter(({ type }) => type === "cgroup" || type === "cgroup2");
  const lines = Deno.readTextFileSync("/proc/self/cgroup").split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const [id, controllers = "", ...rest] = line.split(":");
    const names = controllers.split(",");
    const found = mounts.find(({ type, superOptions }) =>
      id === "0" ? type === "cgroup2" : type === "cgroup" && names.every((name) => superOptions.includes(name))
    );
    if (found === undefined) return [];
    return [{ mountPoint: found.target, home: rest.join(":"), isCpuset: names.includes("cpuset") }];
  });
}

function inherit(parent: string, path: string, name: string): void {
  if (Deno.readTextFileSync(`${path}/${name}`).trim() !== "") return;
  Deno.writeTextFileSync(`${path}/${name}`, Deno.readTextFileSync(`${parent}/${name}`), { create: false });
}

function join(path: string): void {
  Deno.writeTextFileSync(`${path}/cgroup.procs`, String(Deno.pid), { create: false });
}

function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function removeTree(path: string): boolean {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(path)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
  for (const { name, isDirectory } of entries) if (isDirectory) removeTree(`${path}/${name}`);
  for (const pid of Deno.readTextFileSync(`${path}/cgroup.procs`).split("\n").filter((line) => line !== "")) {
    killOne(Number(pid));
  }
  return removeFolder(path);
}

function killOne(pid: number): void {
  try {
    if (pid > 0) Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // it ended by itself
  }
}

/** Deno's own remove would look into the folder first, and a group has files that cannot be removed one by one. */
function removeFolder(path: string): boolean {
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    if (error instanceof Error) return false; // EBUSY: somebody is in it; ENOTEMPTY
    throw error;
  }
}
