import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { cgroupMounts, isCgroupV1, missingMounts, wantedMounts } from "./mount_plan.ts";

const V1 = "9:name=systemd:/\n3:cpu,cpuacct:/a\n0::/\n";
const V2 = "0::/\n";
const NAMED_ONLY = "1:name=systemd:/\n0::/\n";

Deno.test("cgroupMounts() takes v2 where no controller is in v1", () => {
  for (const membership of [V2, NAMED_ONLY]) {
    deepStrictEqual(cgroupMounts(membership).map(({ type, target }) => [type, target]), [[
      "cgroup2",
      "/sys/fs/cgroup",
    ]]);
    strictEqual(isCgroupV1(membership), false);
  }
});

Deno.test("cgroupMounts() brings back the hierarchies of v1 under their names", () => {
  deepStrictEqual(cgroupMounts(V1).map(({ target, data }) => [target, data]), [
    ["/sys/fs/cgroup", "mode=0755"],
    ["/sys/fs/cgroup/systemd", "none,name=systemd"],
    ["/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct"],
  ]);
  ok(isCgroupV1(V1));
});

Deno.test("missingMounts() leaves out what is there with the same type", () => {
  const one = {
    ...{ id: 1, parentId: 0, device: "0:1", root: "/", options: [], tags: [], source: "x", superOptions: [] },
  };
  const existing = [{ ...one, target: "/proc", type: "proc" }, { ...one, target: "/dev", type: "ext4" }];
  const targets = missingMounts(wantedMounts("machine"), existing).map(({ target }) => target);
  deepStrictEqual(targets.slice(0, 3), ["/sys", "/dev", "/dev/pts"]);
});
