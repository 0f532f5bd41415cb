/**
 * The machine config: documents, reading, validation, comparison, generation.
 * @module
 */
export { decodeConfig } from "./decode.ts";
export { diffConfig } from "./diff.ts";
export {
  type ConfigDocument,
  documentLabel,
  documentOf,
  documentsOf,
  type MachineConfigDocuments,
  type V1Alpha1Document,
} from "./documents.ts";
export { encodeConfig, encodeDocument, plainDocument } from "./encode.ts";
export { hostnameProblem } from "./forms.ts";
export { generateConfig } from "./generate.ts";
export { type GenerateOptions, KUBERNETES_VERSION } from "./generate_options.ts";
export { generateTalosconfig, type TalosconfigOptions } from "./generate_talosconfig.ts";
export { patchConfig } from "./patch.ts";
export { ConfigError, formatProblem, type Problem } from "./problem.ts";
export { changesNeedReboot } from "./reboot.ts";
export type { DiscoveryIdentityConfig } from "./schema/cluster.ts";
export type { KubeClusterConfig } from "./schema/k8s.ts";
export type { KeyPair, Untyped } from "./schema/keys.ts";
export { DOCUMENT_SHAPES, type DocumentKind, type DocumentValue, isDocumentKind } from "./schema/kinds.ts";
export type {
  HostDnsConfig,
  HostnameConfig,
  NameserverConfig,
  ResolverConfig,
  StaticHostConfig,
} from "./schema/network.ts";
export type { DummyLinkConfig, LinkAddress, LinkConfig, LinkRoute, LinkSettings } from "./schema/network_links.ts";
export type { SysctlConfig } from "./schema/runtime.ts";
export type { V1Alpha1Config } from "./schema/v1alpha1.ts";
export type { ClusterConfig } from "./schema/v1alpha1_cluster.ts";
export type { MachineConfig, MachineType } from "./schema/v1alpha1_machine.ts";
export type { ExtraHost, InterfaceConfig, InterfaceRoute, MachineNetworkConfig } from "./schema/v1alpha1_network.ts";
export { type MachineMode, validateConfig, type Verdict } from "./validate.ts";
