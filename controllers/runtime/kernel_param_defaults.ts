import { type Controller, defineController, shared } from "../../mod/cosi/mod.ts";
import { KernelParamDefaultSpecs } from "../../resources/runtime/kernel_param_default_spec.ts";

/** Parameters of a network namespace: they are the node's own, also where the kernel is shared with a host. */
const NETWORK: Readonly<Record<string, string>> = {
  "net.ipv4.ip_forward": "1",
  "net.ipv4.icmp_ignore_bogus_error_responses": "1",
  "net.ipv4.icmp_echo_ignore_broadcasts": "1",
  "net.ipv4.conf.all.send_redirects": "0",
  "net.ipv4.conf.default.send_redirects": "0",
  "net.ipv4.ip_local_reserved_ports": "50000,50001",
  "net.ipv4.tcp_keepalive_time": "600",
  "net.ipv4.tcp_keepalive_intvl": "60",
  "net.ipv6.conf.default.forwarding": "1",
  "net.ipv6.conf.default.accept_ra": "2",
  "net.bridge.bridge-nf-call-iptables": "1",
  "net.bridge.bridge-nf-call-ip6tables": "1",
};

/** Parameters of the whole kernel: the first group is what the Kernel Self Protection Project asks for. */
const KERNEL: Readonly<Record<string, string>> = {
  "dev.tty.ldisc_autoload": "0",
  "dev.tty.legacy_tiocsti": "0",
  "fs.protected_symlinks": "1",
  "fs.protected_hardlinks": "1",
  "fs.protected_fifos": "2",
  "fs.protected_regular": "2",
  "fs.suid_dumpable": "0",
  "kernel.kptr_restrict": "2",
  "kernel.dmesg_restrict": "1",
  "kernel.perf_event_paranoid": "3",
  "kernel.randomize_va_space": "2",
  "kernel.yama.ptrace_scope": "2",
  "kernel.unprivileged_bpf_disabled": "1",
  "user.max_user_namespaces": "0",
  "net.core.bpf_jit_harden": "2",
  "vm.unprivileged_userfaultfd": "0",
  "kernel.panic": "10",
  "kernel.pid_max": "262144",
  "kernel.ctrl-alt-del": "0",
  "vm.overcommit_memory": "1",
  "fs.inotify.max_user_instances": "8192",
  "fs.aio-max-nr": "1048576",
};

/** Parameters that every machine has unless its config says otherwise; `machine` mode owns the whole kernel. */
export function kernelParamDefaultsController(mode: "machine" | "container"): Controller {
  const params = mode === "machine" ? { ...NETWORK, ...KERNEL } : NETWORK;
  return defineController({
    name: "runtime.KernelParamDefaultsController",
    inputs: [],
    outputs: [shared(KernelParamDefaultSpecs)],
    async reconcile(r) {
      await r.sync(
        KernelParamDefaultSpecs,
        // A kernel without IPv6, bridge filter or Yama is no reason to fail.
        Object.entries(params).map(([name, value]) => ({
          id: `proc.sys.${name}`,
          spec: { value, ignoreErrors: true },
        })),
      );
    },
  });
}
