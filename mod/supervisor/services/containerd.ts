import { grpcHealth } from "../grpc_health.ts";
import type { Processes } from "../process_runner.ts";
import type { ServiceDefinition } from "../service.ts";

/** Id of the container runtime's service. */
export const CONTAINERD_ID = "containerd";
/** Where it listens. */
export const CONTAINERD_SOCKET = "/run/containerd/containerd.sock";

const CONFIG_PATH = "/run/containerd/config.toml";

/** Pure: its configuration. Snapshotters and stores for file systems that the machine does not use are left out. */
export function containerdConfig(): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.internal.v1.tracing",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = "${CONTAINERD_SOCKET}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/cri/conf.d/hosts"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
}

/** The container runtime. Its containers have shims of their own and outlive a restart of it. */
export function containerdService(processes: Processes): ServiceDefinition {
  return {
    id: CONTAINERD_ID,
    prepare() {
      Deno.mkdirSync("/var/lib/containerd", { recursive: true, mode: 0o711 });
      Deno.mkdirSync("/run/containerd", { recursive: true, mode: 0o711 });
      Deno.writeTextFileSync(CONFIG_PATH, containerdConfig(), { mode: 0o600 });
    },
    run: processes.runner(() => ({
      path: "/usr/bin/containerd",
      args: ["--config", CONFIG_PATH],
      env: { PATH: "/usr/sbin:/usr/bin", HOME: "/root" },
      cgroup: "podruntime/runtime",
      limits: { memoryMinBytes: 196 << 20, memoryLowBytes: 392 << 20, cpuWeight: 100 },
      oomScoreAdjust: -500,
    })),
    // a machine under load is slow, not broken
    health: { ...grpcHealth(CONTAINERD_SOCKET), timeoutMs: 5000 },
  };
}
