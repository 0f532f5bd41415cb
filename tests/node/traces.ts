import { knownProcess } from "../../image/node_record.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import { readMounts } from "../../kernel/mount.ts";

/** Lists of text, each sorted, so that two looks can be compared. */
export interface Traces {
  readonly links: readonly string[];
  readonly addresses: readonly string[];
  readonly routes: readonly string[];
  readonly mounts: readonly string[];
  readonly cgroups: readonly string[];
  readonly namespaces: readonly string[];
  readonly processes: readonly string[];
}

/** What this machine has that a node could have left behind. */
export function traces(): Traces {
  using rtnl = new RtnlConn();
  return {
    links: rtnl.links().map(({ name }) => name).sort(),
    addresses: rtnl.addresses().map(({ prefix }) => prefix).sort(),
    routes: rtnl.routes().map(({ destination, gateway }) => `${destination} ${gateway}`).sort(),
    mounts: readMounts().map(({ target }) => target).sort(),
    cgroups: cgroups(),
    namespaces: namespaces(),
    processes: programs(),
  };
}

/** Groups of ours in every hierarchy. */
function cgroups(): string[] {
  const found: string[] = [];
  for (const { target } of readMounts().filter(({ type }) => type === "cgroup" || type === "cgroup2")) {
    for (const { name, isDirectory } of Deno.readDirSync(target)) {
      if (isDirectory && name.startsWith("monos")) found.push(`${target}/${name}`);
    }
  }
  return found.sort();
}

/** What has ended and waits for its parent, who may be slow, is gone for our purpose. */
function pids(): string[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && knownProcess(Number(name)) !== undefined);
}

/** Network namespaces that any process is in. */
function namespaces(): string[] {
  const found = new Set<string>();
  for (const pid of pids()) {
    for (const kind of ["net", "mnt", "pid"]) {
      const link = readIfThere(() => Deno.readLinkSync(`/proc/${pid}/ns/${kind}`));
      if (link !== undefined) found.add(link);
    }
  }
  return [...found].sort();
}

/** Programs of a node that run: its own, containerd, etcd. */
function programs(): string[] {
  return pids().flatMap((pid) => {
    const argv = readIfThere(() => Deno.readTextFileSync(`/proc/${pid}/cmdline`))?.split("\0") ?? [];
    const [path = ""] = argv;
    return /(^|\/)(monos|init|containerd|etcd|containerd-shim-runc-v2)$/.test(path) && pid !== "1"
      ? [`${path} ${argv[1] ?? ""}`.slice(0, 60)]
      : [];
  }).sort();
}

/** Undefined for a process or file that went away meanwhile. */
export function readIfThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return undefined;
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return undefined; // it ended meanwhile
    throw error;
  }
}
