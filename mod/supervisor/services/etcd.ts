import { httpHealth } from "../http_health.ts";
import type { Processes } from "../process_runner.ts";
import type { Condition, ServiceDefinition } from "../service.ts";

/** Id of etcd's service. */
export const ETCD_ID = "etcd";

const DATA_FOLDER = "/var/lib/etcd";

/** What one member needs to know. */
export interface EtcdOptions {
  /** Name of the member, by custom the host name. */
  name: string;
  /** Port of clients on 127.0.0.1; 2379. */
  clientPort?: number;
  /** Port of peers on 127.0.0.1; 2380. */
  peerPort?: number;
}

/** Pure: the arguments of a single member that only this machine can reach, so it needs no certificates. */
export function etcdArgs({ name, clientPort = 2379, peerPort = 2380 }: EtcdOptions): string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--name=${name}`,
    `--data-dir=${DATA_FOLDER}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${name}=${peer}`,
    "--initial-cluster-state=new", // looked at only while the data folder is empty
    "--auto-compaction-mode=periodic",
    "--auto-compaction-retention=5m",
  ];
}

/**
 * The store of the Kubernetes control plane.
 *
 * @param options asked for at every start
 * @param conditions what it waits for, such as a host name
 */
export function etcdService(
  processes: Processes,
  options: () => EtcdOptions,
  conditions: readonly Condition[] = [],
): ServiceDefinition {
  const { clientPort = 2379 } = options();
  return {
    id: ETCD_ID,
    conditions,
    prepare() {
      Deno.mkdirSync(DATA_FOLDER, { recursive: true, mode: 0o700 });
      Deno.chmodSync(DATA_FOLDER, 0o700); // etcd refuses a folder that others can read
    },
    run: processes.runner(() => ({
      path: "/usr/bin/etcd",
      args: etcdArgs(options()),
      env: { PATH: "/usr/sbin:/usr/bin", HOME: "/root", GOGC: "50" },
      cgroup: "podruntime/etcd",
      limits: { memoryLowBytes: 256 << 20, cpuWeight: 200 },
      oomScoreAdjust: -998,
    })),
    health: {
      // answers 200 only if a linearizable read through the quorum works
      ...httpHealth(`http://127.0.0.1:${clientPort}/health`),
      initialDelayMs: 5000,
      periodMs: 20_000,
      timeoutMs: 15_000,
    },
  };
}
