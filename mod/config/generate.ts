import { stringify } from "@std/yaml";
import { documentsOf114 } from "./generate_documents.ts";
import {
  AUDIT_POLICY,
  type CompleteOptions,
  EXCLUDE_FROM_LOAD_BALANCERS,
  type GenerateOptions,
  isControlPlane,
  KUBERNETES_VERSION,
  kubernetesImage,
  pairFor,
  POD_SECURITY,
} from "./generate_options.ts";

/**
 * A machine config as YAML text. The same options give the same text. A worker's config holds no private key.
 * @throws {TypeError} the endpoint is not an https URL, or the cluster name is empty.
 */
export function generateConfig(options: GenerateOptions): string {
  if (options.clusterName === "") throw new TypeError("Cannot generate a machine config: the cluster name is empty");
  if (!URL.canParse(options.endpoint) || new URL(options.endpoint).protocol !== "https:") {
    throw new TypeError(`Cannot generate a machine config: endpoint "${options.endpoint}" is not an https URL`);
  }
  const complete: CompleteOptions = {
    contract: "v1.12",
    additionalSans: [],
    install: undefined,
    dnsDomain: "cluster.local",
    podSubnets: ["10.244.0.0/16"],
    serviceSubnets: ["10.96.0.0/12"],
    registryMirrors: {},
    kubeSpan: "disabled",
    documents: [],
    ...options,
    kubernetesVersion: (options.kubernetesVersion ?? KUBERNETES_VERSION).replace(/^v?/, "v"),
  };
  const documents = complete.contract === "v1.14" ? documentsOf114(complete) : documentsOf112(complete);
  return [...documents, ...complete.documents]
    .map((document) => stringify(document, { indent: 4, lineWidth: -1, useAnchors: false }))
    .join("---\n");
}

/** The documents of a config in the shape of contract v1.12. */
function documentsOf112(options: CompleteOptions): object[] {
  return [
    { version: "v1alpha1", debug: false, persist: true, machine: machine(options), cluster: cluster(options) },
    { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "stable" },
  ];
}

function machine(options: CompleteOptions): object {
  const { secrets, install } = options;
  const mirrors = Object.entries(options.registryMirrors).map(([host, endpoints]) => [host, { endpoints }]);
  return {
    type: options.machineType,
    token: secrets.trustdinfo.token,
    ca: pairFor(options, secrets.certs.os),
    certSANs: options.additionalSans,
    kubelet: {
      image: kubernetesImage(options, "kubelet"),
      defaultRuntimeSeccompProfileEnabled: true,
      disableManifestsDirectory: true,
    },
    network: options.kubeSpan === "enabled" ? { kubespan: { enabled: true } } : {},
    ...(install && { install: { disk: install.disk, image: install.image, wipe: false, grubUseUKICmdline: true } }),
    ...(mirrors.length > 0 && { registries: { mirrors: Object.fromEntries(mirrors) } }),
    features: {
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: 7445 },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    },
    ...(isControlPlane(options) && { nodeLabels: { [EXCLUDE_FROM_LOAD_BALANCERS]: "" } }),
  };
}

function cluster(options: CompleteOptions): object {
  const { secrets } = options;
  return {
    id: secrets.cluster.id,
    secret: secrets.cluster.secret,
    controlPlane: { endpoint: options.endpoint },
    clusterName: options.clusterName,
    network: {
      dnsDomain: options.dnsDomain,
      podSubnets: options.podSubnets,
      serviceSubnets: options.serviceSubnets,
    },
    token: secrets.secrets.bootstraptoken,
    ...(isControlPlane(options) && { secretboxEncryptionSecret: secrets.secrets.secretboxencryptionsecret }),
    ca: pairFor(options, secrets.certs.k8s),
    ...(isControlPlane(options) && controlPlane(options)),
    discovery: { enabled: true, registries: { kubernetes: { disabled: true }, service: {} } },
    ...(isControlPlane(options) && { etcd: { ca: secrets.certs.etcd } }),
  };
}

function controlPlane(options: CompleteOptions): object {
  const { certs } = options.secrets;
  return {
    aggregatorCA: certs.k8saggregator,
    serviceAccount: certs.k8sserviceaccount,
    apiServer: {
      image: kubernetesImage(options, "kube-apiserver"),
      ...(options.additionalSans.length > 0 && { certSANs: options.additionalSans }),
      admissionControl: [{ name: "PodSecurity", configuration: POD_SECURITY }],
      auditPolicy: AUDIT_POLICY,
    },
    controllerManager: { image: kubernetesImage(options, "kube-controller-manager") },
    proxy: { image: kubernetesImage(options, "kube-proxy") },
    scheduler: { image: kubernetesImage(options, "kube-scheduler") },
  };
}
