import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnProcess, waitFor } from "../../kernel/process.ts";
import { MNT_DETACH, mount, unmount } from "../../kernel/mount.ts";
import { Cgroups } from "../../mod/supervisor/mod.ts";

/** A tree of cgroup v2 of its own, wherever the host has its own; without controllers where v1 has taken them. */
class Tree implements Disposable {
  readonly #mountPoint = Deno.makeTempDirSync({ prefix: "cgroup-" });
  readonly root = `${this.#mountPoint}/monos-cgroup-test`;

  constructor() {
    mount({ source: "cgroup2", target: this.#mountPoint, type: "cgroup2" });
    Deno.mkdirSync(this.root);
  }

  [Symbol.dispose](): void {
    for (const group of ["system/a", "system", ""]) Deno.removeSync(`${this.root}/${group}`);
    unmount(this.#mountPoint, MNT_DETACH);
    Deno.removeSync(this.#mountPoint);
  }
}

Deno.test("Cgroups puts processes into groups and kills all of a group", () => {
  using tree = new Tree();
  const cgroups = new Cgroups(tree.root);
  strictEqual(cgroups.version, "v2");
  const pids = [1, 2].map(() => spawnProcess({ path: "/bin/sleep", argv: ["sleep", "1000"], env: {}, fds: [0, 1, 2] }));
  for (const pid of pids) cgroups.place("system/a", pid, { memoryMaxBytes: 64 << 20 });
  deepStrictEqual(cgroups.members("system/a").sort(), pids.toSorted());
  cgroups.kill("system/a");
  deepStrictEqual(pids.map((pid) => waitFor(pid)?.signal), [9, 9]);
  deepStrictEqual([cgroups.members("system/a"), cgroups.members("unknown")], [[], []]);
});

Deno.test("Cgroups does nothing where there are none", () => {
  const cgroups = new Cgroups("/nowhere");
  strictEqual(cgroups.version, "none");
  cgroups.setUpRoot();
  cgroups.place("a", Deno.pid);
  cgroups.kill("a");
  ok(cgroups.members("a").length === 0);
});
