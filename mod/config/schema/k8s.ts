import { item, key, keys, PEM_PAIR, required, untyped } from "./keys.ts";

/** The cluster's name and the URL of its Kubernetes API. */
export interface KubeClusterConfig {
  readonly clusterName: string;
  readonly endpoint: string;
}

const COMPONENT = { image: required.text, extraArgs: key.args, env: key.textMap, resources: key.any };
const CA = untyped({ issuingCA: key.record(PEM_PAIR), acceptedCAs: key.texts });

/** Kubernetes, by kind. */
export const K8S_KINDS = {
  KubeClusterConfig: keys<KubeClusterConfig>()({ clusterName: required.text, endpoint: required.text }),
  KubeNetworkConfig: untyped({
    dnsDomain: key.text,
    podSubnets: key.list(item.prefix, { patch: "replace" }),
    serviceSubnets: key.list(item.prefix, { patch: "replace" }),
    nodeCIDRMaskSizeIPv4: key.uint32,
    nodeCIDRMaskSizeIPv6: key.uint32,
  }),
  KubeNodeConfig: untyped({
    skipNodeRegistration: key.flag,
    registerWithFQDN: key.flag,
    nodeIP: key.record(untyped({ validSubnets: key.texts })),
    labels: key.textMap,
    annotations: key.textMap,
    taints: key.textMap,
  }),
  KubeletConfig: untyped({
    image: required.text,
    config: key.any,
    extraArgs: key.args,
    clusterDNS: key.texts,
    defaultRuntimeSeccompProfileEnabled: key.flag,
  }),
  KubeCredentialProviderConfig: untyped({ configuration: key.wholeAny }),
  KubeAPIServerConfig: untyped({
    ...COMPONENT,
    apiPort: key.uint32,
    certExtraSANs: key.texts,
    startupProbes: key.flag,
  }),
  KubeControllerManagerConfig: untyped({ enabled: key.flag, ...COMPONENT }),
  KubeSchedulerConfig: untyped({ enabled: key.flag, config: key.any, ...COMPONENT }),
  KubeProxyConfig: untyped({
    enabled: key.flag,
    image: required.text,
    mode: key.text,
    config: key.any,
    extraArgs: key.args,
    resources: key.any,
  }),
  KubeCoreDNSConfig: untyped({ enabled: key.flag, image: key.text }),
  KubeFlannelCNIConfig: untyped({
    backendType: key.text,
    backendPort: key.uint32,
    backendMTU: key.uint32,
    backendExtraConfig: key.any,
    resources: key.any,
    extraArgs: key.texts,
    kubeNetworkPoliciesEnabled: key.flag,
  }),
  KubeAPIServerCAConfig: CA,
  KubeAggregatorCAConfig: CA,
  KubeServiceAccountConfig: untyped({
    issuer: key.record(untyped({ privateKey: key.secret, issuerURL: key.text })),
    accepted: key.record(untyped({ publicKeys: key.texts, issuers: key.texts, audiences: key.texts })),
  }),
  KubeEtcdEncryptionConfig: untyped({ config: key.secretAny }),
  KubeAdmissionControlConfig: untyped({ name: required.text, configuration: key.any }),
  KubeAuditPolicyConfig: untyped({ configuration: key.wholeAny }),
  KubeAuthenticationConfig: untyped({ configuration: key.wholeAny }),
  KubeAuthorizerConfig: untyped({
    name: required.text,
    type: key.words("Node", "RBAC", "Webhook"),
    webhook: key.any,
  }),
  KubeStaticPodConfig: untyped({ name: required.text, pod: key.wholeAny }),
  KubeInlineManifestConfig: untyped({ name: required.text, manifest: key.text }),
  KubeExternalManifestConfig: untyped({ name: required.text, url: required.text, headers: key.textMap }),
  KubePrismConfig: untyped({ port: required.uint32, tlsServerName: key.text }),
  KubeTalosAPIAccessConfig: untyped({ allowedRoles: key.texts, allowedKubernetesNamespaces: key.texts }),
};
