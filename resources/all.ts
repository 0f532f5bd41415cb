import { type AnyDefinition, ControllerStatuses, WriteCauses } from "../mod/cosi/mod.ts";
import { MachineConfigs } from "./config/machine_config.ts";
import { MachineTypes } from "./config/machine_type.ts";
import { EtcFileSpecs } from "./files/etc_file_spec.ts";
import { EtcFileStatuses } from "./files/etc_file_status.ts";
import { AddressSpecs } from "./network/address_spec.ts";
import { AddressStatuses } from "./network/address_status.ts";
import { HostnameSpecs } from "./network/hostname_spec.ts";
import { HostnameStatuses } from "./network/hostname_status.ts";
import { LinkSpecs } from "./network/link_spec.ts";
import { LinkStatuses } from "./network/link_status.ts";
import { NetworkStatuses } from "./network/network_status.ts";
import { NodeAddresses } from "./network/node_address.ts";
import { NodeAddressSortAlgorithms } from "./network/node_address_sort_algorithm.ts";
import { ResolverSpecs } from "./network/resolver_spec.ts";
import { ResolverStatuses } from "./network/resolver_status.ts";
import { RouteSpecs } from "./network/route_spec.ts";
import { RouteStatuses } from "./network/route_status.ts";
import { StaticHosts } from "./network/static_host.ts";
import { BootIDs } from "./runtime/boot_id.ts";
import { Diagnostics } from "./runtime/diagnostic.ts";
import { KernelCmdlines } from "./runtime/kernel_cmdline.ts";
import { KernelParamDefaultSpecs } from "./runtime/kernel_param_default_spec.ts";
import { KernelParamSpecs } from "./runtime/kernel_param_spec.ts";
import { KernelParamStatuses } from "./runtime/kernel_param_status.ts";
import { MachineStatuses } from "./runtime/machine_status.ts";
import { Versions } from "./runtime/version.ts";
import { ApiCertificates } from "./secrets/api_certificate.ts";
import { CertSANs } from "./secrets/cert_san.ts";
import { OSRootSecrets } from "./secrets/os_root_secret.ts";
import { Services } from "./v1alpha1/service.ts";

/** Every resource type of the machine. */
export const DEFINITIONS: readonly AnyDefinition[] = [
  ...[ControllerStatuses, WriteCauses],
  ...[MachineConfigs, MachineTypes],
  ...[EtcFileSpecs, EtcFileStatuses],
  ...[AddressSpecs, AddressStatuses, HostnameSpecs, HostnameStatuses, LinkSpecs, LinkStatuses],
  ...[NetworkStatuses, NodeAddresses, NodeAddressSortAlgorithms],
  ...[ResolverSpecs, ResolverStatuses, RouteSpecs, RouteStatuses, StaticHosts],
  ...[BootIDs, Diagnostics, KernelCmdlines, KernelParamDefaultSpecs, KernelParamSpecs, KernelParamStatuses],
  ...[MachineStatuses, Versions],
  ...[ApiCertificates, CertSANs, OSRootSecrets],
  Services,
];

/** Every namespace, with what is in it. */
export const NAMESPACES: readonly { readonly name: string; readonly description: string }[] = [
  { name: "cluster", description: "Members of the cluster and how they are found." },
  { name: "cluster-raw", description: "Members of the cluster by source, before they are merged." },
  { name: "config", description: "Machine configuration." },
  { name: "containers", description: "Containers that run without Kubernetes." },
  { name: "controlplane", description: "The Kubernetes control plane of this machine." },
  { name: "cri", description: "The container runtime." },
  { name: "etcd", description: "The etcd member of this machine." },
  { name: "files", description: "Files under /etc." },
  { name: "hardware", description: "Processors, memory and devices." },
  { name: "k8s", description: "Kubernetes on this machine." },
  { name: "kubespan", description: "The encrypted network between the machines of the cluster." },
  { name: "network", description: "The network: merged wishes, and what the kernel has." },
  { name: "network-config", description: "Wishes for the network by layer, before they are merged." },
  { name: "perf", description: "Use of processors and memory." },
  { name: "runtime", description: "State of the machine itself." },
  { name: "secrets", description: "Keys, certificates and tokens." },
  { name: "security", description: "Rules about what may run." },
  { name: "storage", description: "Volume groups, arrays and volumes." },
];
