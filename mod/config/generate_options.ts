import type { Base64Pair, SecretsBundle } from "../pki/mod.ts";

/** What {@linkcode generateConfig} makes. */
export interface GenerateOptions {
  clusterName: string;
  /** Kubernetes endpoint of the cluster, e.g. `https://10.5.0.2:6443`. */
  endpoint: string;
  secrets: SecretsBundle;
  machineType: "controlplane" | "worker";
  /**
   * Shape of the result: `v1.12`, most of it in the one v1alpha1 document, or `v1.14`, most of it in documents of their
   * own kind. Default `v1.12`.
   */
  contract?: "v1.12" | "v1.14";
  /** Further names and addresses for the certificates of the machine API and of the API server. */
  additionalSans?: readonly string[];
  /** Disk and installer image; left out for a machine that is not installed, such as a container. */
  install?: { disk: string; image: string };
  /** With or without `v`. Default {@linkcode KUBERNETES_VERSION}. */
  kubernetesVersion?: string;
  /** Default `cluster.local`. */
  dnsDomain?: string;
  podSubnets?: readonly string[];
  serviceSubnets?: readonly string[];
  /** Registry host → URLs asked instead. */
  registryMirrors?: Readonly<Record<string, readonly string[]>>;
  kubeSpan?: "enabled" | "disabled";
  /** Documents put behind the generated ones, e.g. of kind `LinkConfig`. */
  documents?: readonly object[];
}

/** {@linkcode GenerateOptions} with every default filled in. */
export interface CompleteOptions extends Required<Omit<GenerateOptions, "install">> {
  install: { disk: string; image: string } | undefined;
}

/** Version of the Kubernetes images in a generated config. */
export const KUBERNETES_VERSION = "v1.37.2";

/** Whether the machine runs the control plane and so holds the authorities' keys. */
export function isControlPlane(options: CompleteOptions): boolean {
  return options.machineType === "controlplane";
}

/** The pair as this machine may have it: a worker gets the certificate alone. */
export function pairFor(options: CompleteOptions, { crt, key }: Base64Pair): Base64Pair {
  return { crt, key: isControlPlane(options) ? key : "" };
}

/** Names and their images, e.g. `kube-proxy` → `registry.k8s.io/kube-proxy:v1.37.2`. */
export function kubernetesImage(options: CompleteOptions, name: string): string {
  const registry = name === "kubelet" ? "ghcr.io/siderolabs" : "registry.k8s.io";
  return `${registry}/${name}:${options.kubernetesVersion}`;
}

/** Admission rules of a new cluster: pods must meet the baseline standard, but for those in `kube-system`. */
export const POD_SECURITY = {
  apiVersion: "pod-security.admission.config.k8s.io/v1alpha1",
  defaults: {
    audit: "restricted",
    "audit-version": "latest",
    enforce: "baseline",
    "enforce-version": "latest",
    warn: "restricted",
    "warn-version": "latest",
  },
  exemptions: { namespaces: ["kube-system"], runtimeClasses: [], usernames: [] },
  kind: "PodSecurityConfiguration",
} as const;

/** Audit rules of a new cluster: who did what, without the bodies of requests. */
export const AUDIT_POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] } as const;

/** Label of a node that load balancers outside the cluster must leave out. */
export const EXCLUDE_FROM_LOAD_BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers";
