import type { RecordShape } from "../../schema/mod.ts";
import { BLOCK_KINDS } from "./block.ts";
import { CLUSTER_KINDS, type DiscoveryIdentityConfig } from "./cluster.ts";
import { CONTAINER_KINDS } from "./container.ts";
import { CRI_KINDS } from "./cri.ts";
import { K8S_KINDS, type KubeClusterConfig } from "./k8s.ts";
import type { Untyped } from "./keys.ts";
import { type HostnameConfig, NETWORK_KINDS, type ResolverConfig, type StaticHostConfig } from "./network.ts";
import type { DummyLinkConfig, LinkConfig } from "./network_links.ts";
import { RUNTIME_KINDS, type SysctlConfig } from "./runtime.ts";
import { SECURITY_KINDS } from "./security.ts";
import { STORAGE_KINDS } from "./storage.ts";

const KINDS = {
  ...NETWORK_KINDS,
  ...RUNTIME_KINDS,
  ...CLUSTER_KINDS,
  ...K8S_KINDS,
  ...BLOCK_KINDS,
  ...STORAGE_KINDS,
  ...CRI_KINDS,
  ...CONTAINER_KINDS,
  ...SECURITY_KINDS,
};

/** Every kind of document that has one; the v1alpha1 document has none. */
export type DocumentKind = keyof typeof KINDS;

/** Kinds whose keys are read by name. */
interface TypedKinds {
  readonly HostnameConfig: HostnameConfig;
  readonly LinkConfig: LinkConfig;
  readonly DummyLinkConfig: DummyLinkConfig;
  readonly ResolverConfig: ResolverConfig;
  readonly StaticHostConfig: StaticHostConfig;
  readonly SysctlConfig: SysctlConfig;
  readonly DiscoveryIdentityConfig: DiscoveryIdentityConfig;
  readonly KubeClusterConfig: KubeClusterConfig;
}

/** What a document of kind `K` holds. */
export type DocumentValue<K extends DocumentKind> = K extends keyof TypedKinds ? TypedKinds[K] : Untyped;

/** Shape of each kind, without `apiVersion` and `kind`. */
export const DOCUMENT_SHAPES: Readonly<Record<DocumentKind, RecordShape>> = KINDS;

/** Whether a text is the name of a kind. */
export function isDocumentKind(text: string): text is DocumentKind {
  return Object.hasOwn(KINDS, text);
}
