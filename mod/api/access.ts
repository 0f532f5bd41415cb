import { ApiError } from "./errors.ts";

/** Roles that rules name. A certificate may carry others; they are kept and open nothing. */
export const ROLES = {
  admin: "os:admin",
  operator: "os:operator",
  reader: "os:reader",
  etcdBackup: "os:etcd:backup",
  impersonator: "os:impersonator",
  metaWriter: "os:meta:writer",
  imageVerifier: "os:image:verifier",
} as const;

const ADMIN: readonly string[] = [ROLES.admin];
const MANAGE: readonly string[] = [ROLES.admin, ROLES.operator];
const READ: readonly string[] = [ROLES.admin, ROLES.operator, ROLES.reader];
const ETCD_READ: readonly string[] = [...READ, ROLES.etcdBackup];
const ETCD_BACKUP: readonly string[] = [...MANAGE, ROLES.etcdBackup];
const META: readonly string[] = [ROLES.admin, ROLES.metaWriter];
const VERIFY: readonly string[] = [...READ, ROLES.imageVerifier];

/**
 * Which roles may call what, by service and method. A method without a row is for administrators only.
 * Writes to resources are open to administrators here; the access filter refuses them to everybody.
 */
export const ACCESS_RULES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "cosi.resource.State": {
    Get: READ,
    List: READ,
    Watch: READ,
    Create: ADMIN,
    Update: ADMIN,
    Destroy: ADMIN,
    Teardown: ADMIN,
    TeardownAndDestroy: ADMIN,
  },
  "machine.MachineService": {
    ApplyConfiguration: ADMIN,
    Bootstrap: ADMIN,
    Containers: READ,
    Copy: ADMIN,
    CPUFreqStats: READ,
    CPUInfo: READ,
    DiskStats: READ,
    DiskUsage: READ,
    Dmesg: READ,
    EtcdAlarmDisarm: MANAGE,
    EtcdAlarmList: ETCD_READ,
    EtcdDefragment: MANAGE,
    EtcdDowngradeCancel: ADMIN,
    EtcdDowngradeEnable: ADMIN,
    EtcdDowngradeValidate: ADMIN,
    EtcdForfeitLeadership: ADMIN,
    EtcdLeaveCluster: ADMIN,
    EtcdMemberList: ETCD_READ,
    EtcdRecover: ADMIN,
    EtcdRemoveMemberByID: ADMIN,
    EtcdSnapshot: ETCD_BACKUP,
    EtcdStatus: ETCD_READ,
    Events: READ,
    GenerateClientConfiguration: ADMIN,
    Hostname: READ,
    ImageList: READ,
    ImagePull: MANAGE,
    Kubeconfig: ADMIN,
    List: READ,
    LoadAvg: READ,
    Logs: READ,
    LogsContainers: READ,
    Memory: READ,
    MetaDelete: META,
    MetaWrite: META,
    Mounts: READ,
    Netstat: READ,
    NetworkDeviceStats: READ,
    PacketCapture: MANAGE,
    Processes: READ,
    Read: ADMIN,
    Reboot: MANAGE,
    Reset: ADMIN,
    Restart: MANAGE,
    Rollback: ADMIN,
    ServiceList: READ,
    ServiceRestart: MANAGE,
    ServiceStart: MANAGE,
    ServiceStop: MANAGE,
    Shutdown: MANAGE,
    Stats: READ,
    SystemStat: READ,
    Upgrade: ADMIN,
    Version: READ,
  },
  "machine.ImageService": { Import: ADMIN, List: READ, Pull: MANAGE, Remove: ADMIN, Verify: VERIFY },
  "machine.LifecycleService": { Install: ADMIN, Upgrade: ADMIN },
  "machine.DebugService": { ContainerRun: ADMIN },
  "machine.StorageService": { Statfs: READ },
  "machine.LVMService": { LogicalVolumeRemove: ADMIN, PhysicalVolumeRemove: ADMIN, VolumeGroupRemove: ADMIN },
  "machine.MDService": { Destroy: ADMIN },
  "storage.StorageService": { BlockDeviceWipe: ADMIN, Disks: READ },
  "time.TimeService": { Time: READ, TimeCheck: READ },
  "inspect.InspectService": { ControllerRuntimeDependencies: READ },
  "cluster.ClusterService": { HealthCheck: READ },
};

/** Paths of all methods that have a row. */
export function* ruledPaths(): Generator<string, void> {
  for (const [service, methods] of Object.entries(ACCESS_RULES)) {
    for (const method of Object.keys(methods)) yield `/${service}/${method}`;
  }
}

/** The roles of which one is needed to call `path`, such as `/machine.MachineService/Version`. */
export function rolesFor(path: string): readonly string[] {
  const [, service = "", method = ""] = path.split("/");
  const rules = Object.hasOwn(ACCESS_RULES, service) ? ACCESS_RULES[service] : undefined;
  return (rules !== undefined && Object.hasOwn(rules, method) ? rules[method] : undefined) ?? ADMIN;
}

/**
 * Refuses a caller without a fitting role.
 * @throws {ApiError} PERMISSION_DENIED, naming the roles that are needed and the ones that are there.
 */
export function authorize(path: string, roles: ReadonlySet<string>): void {
  const needed = rolesFor(path);
  if (needed.some((role) => roles.has(role))) return;
  const has = roles.size === 0 ? "no role" : [...roles].map((role) => `"${role}"`).join(", ");
  const wanted = needed.map((role) => `"${role}"`).join(" or ");
  throw new ApiError("PERMISSION_DENIED", `Cannot call "${path}": it needs role ${wanted}, the caller has ${has}`);
}
