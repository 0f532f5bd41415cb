/** Limits of one cgroup; what is left out stays at the kernel's default. */
export interface CgroupLimits {
  /** Memory that is never reclaimed from it, in bytes. */
  memoryMinBytes?: number;
  /** Memory that is reclaimed from it only if nothing else is left, in bytes. */
  memoryLowBytes?: number;
  /** Most memory it may use, in bytes. */
  memoryMaxBytes?: number;
  /** Share of the CPU under load, 1-10000, kernel default 100. */
  cpuWeight?: number;
}

/** Of the hierarchies of v1 a service is put into the first that is there: every move costs milliseconds. */
const V1_HIERARCHIES = ["memory", "pids", "freezer", "cpu,cpuacct", "cpu"];

/**
 * The control groups of services. On cgroup v2 with limits and kill; on v1, which only hosts of container nodes have,
 * services are grouped so that all of one can be ended, without limits; where there is no cgroup at all, nothing.
 */
export class Cgroups {
  /** What was found at the mount point. */
  readonly version: "v2" | "v1" | "none";
  readonly #root: string | undefined;

  /** @param mountPoint where cgroup v2 is mounted, or the folder of v1's hierarchies */
  constructor(mountPoint = "/sys/fs/cgroup") {
    const v1 = V1_HIERARCHIES.map((name) => `${mountPoint}/${name}`).find((path) => isThere(`${path}/cgroup.procs`));
    this.version = isThere(`${mountPoint}/cgroup.controllers`) ? "v2" : v1 === undefined ? "none" : "v1";
    this.#root = this.version === "v2" ? mountPoint : v1;
  }

  /**
   * Moves this process into the group `init` and hands the controllers on to the groups below the root, which v2
   * allows only where the root has no processes of its own.
   *
   * @throws {Deno.errors.PermissionDenied} if the tree is not ours
   */
  setUpRoot(): void {
    const root = this.#root;
    if (this.version !== "v2" || root === undefined) return;
    this.place("init", Deno.pid);
    for (const name of Deno.readTextFileSync(`${root}/cgroup.controllers`).trim().split(" ")) {
      if (["cpu", "memory", "pids", "io"].includes(name)) write(`${root}/cgroup.subtree_control`, `+${name}`);
    }
  }

  /** Puts a process into a group, which is made if needed. @throws {Deno.errors.NotFound} if it has ended */
  place(group: string, pid: number, limits: CgroupLimits = {}): void {
    if (this.#root === undefined) return;
    this.#make(this.#root, group);
    if (this.version === "v2") applyLimits(`${this.#root}/${group}`, limits);
    write(`${this.#root}/${group}/cgroup.procs`, String(pid));
  }

  /** The pids in a group, groups below it aside; none if it is not there. */
  members(group: string): number[] {
    const path = `${this.#root}/${group}/cgroup.procs`;
    if (this.#root === undefined || !isThere(path)) return [];
    return Deno.readTextFileSync(path).split("\n").filter((line) => line !== "").map(Number);
  }

  /** SIGKILL to everything in a group; on v2 also in the groups below it. */
  kill(group: string): void {
    const path = `${this.#root}/${group}/cgroup.kill`;
    if (this.version === "v2" && isThere(path)) return write(path, "1");
    for (const pid of this.members(group)) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // it ended by itself
      }
    }
  }

  /** Makes a group and the ones above it; on v2 those hand their controllers on. */
  #make(root: string, group: string): void {
    let path = root;
    for (const part of group.split("/")) {
      if (this.version === "v2" && path !== root) {
        for (const name of ["cpu", "memory", "pids"]) tryWrite(`${path}/cgroup.subtree_control`, `+${name}`);
      }
      path = `${path}/${part}`;
      if (!isThere(path)) Deno.mkdirSync(path);
    }
  }
}

function applyLimits(path: string, limits: CgroupLimits): void {
  const files = {
    "memory.min": limits.memoryMinBytes,
    "memory.low": limits.memoryLowBytes,
    "memory.max": limits.memoryMaxBytes,
    "cpu.weight": limits.cpuWeight,
  };
  for (const [name, value] of Object.entries(files)) {
    if (value !== undefined) tryWrite(`${path}/${name}`, String(value));
  }
}

/** Writes in one write(2), as the files of cgroupfs want it. */
function write(path: string, text: string): void {
  Deno.writeTextFileSync(path, text, { create: false });
}

/** For controllers that the kernel or the host may not have given to us: the group works without them. */
function tryWrite(path: string, text: string): void {
  try {
    write(path, text);
  } catch (error) {
    if (!(error instanceof Error)) throw error; // ENOENT, EINVAL, EBUSY: the controller is not there
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
