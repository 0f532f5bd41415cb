import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ACCESS_RULES, ROLES, rolesFor } from "./access.ts";
import { ClusterService } from "./gen/cluster/cluster_pb.ts";
import { State } from "./gen/cosi/resource/state_pb.ts";
import { InspectService } from "./gen/inspect/inspect_pb.ts";
import { DebugService } from "./gen/machine/debug_pb.ts";
import { ImageService } from "./gen/machine/image_pb.ts";
import { LifecycleService } from "./gen/machine/lifecycle_pb.ts";
import { LVMService } from "./gen/machine/lvm_pb.ts";
import { MachineService } from "./gen/machine/machine_pb.ts";
import { MDService } from "./gen/machine/md_pb.ts";
import { StorageService as FileSystemService } from "./gen/machine/storage_pb.ts";
import { StorageService } from "./gen/storage/storage_pb.ts";
import { TimeService } from "./gen/time/time_pb.ts";

const SERVICES = [
  ClusterService,
  State,
  InspectService,
  DebugService,
  ImageService,
  LifecycleService,
  LVMService,
  MachineService,
  MDService,
  FileSystemService,
  StorageService,
  TimeService,
];

Deno.test("every call has a rule, and every rule a call", () => {
  const calls = SERVICES.map(({ typeName, methods }) => [typeName, methods.map(({ name }) => name).sort()]);
  const rules = Object.entries(ACCESS_RULES).map(([service, methods]) => [service, Object.keys(methods).sort()]);
  deepStrictEqual(rules.sort(), calls.sort());
});

Deno.test("administrators may make every call", () => {
  for (const methods of Object.values(ACCESS_RULES)) {
    for (const roles of Object.values(methods)) strictEqual(roles.includes(ROLES.admin), true);
  }
});

for (
  const path of ["/machine.MachineService/New", "/x.Y/Z", "", "/toString/toString", "/machine.MachineService/valueOf"]
) {
  Deno.test(`rolesFor("${path}") is for administrators`, () => deepStrictEqual(rolesFor(path), [ROLES.admin]));
}
