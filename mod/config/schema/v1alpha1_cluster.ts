import { item, key, KEY_PAIR, type KeyPair, keys, type Untyped, untyped } from "./keys.ts";

/** `cluster` of the v1alpha1 document. */
export interface ClusterConfig {
  readonly id?: string;
  readonly secret?: string;
  readonly controlPlane?: ControlPlaneConfig;
  readonly clusterName?: string;
  readonly token?: string;
  readonly ca?: KeyPair;
  readonly etcd?: EtcdClusterConfig;
  readonly discovery?: DiscoveryConfig;
}

/** `cluster.controlPlane`. */
export interface ControlPlaneConfig {
  /** URL of the Kubernetes API. */
  readonly endpoint?: string;
  readonly localAPIServerPort?: number;
}

/** `cluster.etcd`. */
export interface EtcdClusterConfig {
  readonly image?: string;
  readonly ca?: KeyPair;
  readonly extraArgs?: Readonly<Record<string, string | readonly string[]>>;
  readonly advertisedSubnets?: readonly string[];
  readonly listenSubnets?: readonly string[];
}

/** `cluster.discovery`. */
export interface DiscoveryConfig {
  readonly enabled?: boolean;
  readonly registries?: Untyped;
}

const RESOURCES = key.record(untyped({ requests: key.any, limits: key.any }));
const VOLUMES = key.records(untyped({
  hostPath: key.text,
  mountPath: key.text,
  readonly: key.flag,
  name: key.text,
}));
const COMPONENT = {
  image: key.text,
  extraArgs: key.args,
  extraVolumes: VOLUMES,
  env: key.textMap,
  resources: RESOURCES,
};
const NETWORK = untyped({
  cni: key.record(untyped({
    name: key.words("flannel", "custom", "none"),
    urls: key.texts,
    flannel: key.record(untyped({ extraArgs: key.texts, kubeNetworkPoliciesEnabled: key.flag })),
  })),
  dnsDomain: key.text,
  podSubnets: key.list(item.text, { patch: "replace" }),
  serviceSubnets: key.list(item.text, { patch: "replace" }),
});
const API_SERVER = untyped({
  ...COMPONENT,
  certSANs: key.texts,
  disablePodSecurityPolicy: key.flag,
  admissionControl: key.records(untyped({ name: key.text, configuration: key.any }), { key: ["name"] }),
  auditPolicy: key.wholeAny,
  authorizationConfig: key.records(
    untyped({ type: key.text, name: key.text, webhook: key.any }),
    { key: ["type", "name"] },
  ),
});
const DISCOVERY = keys<DiscoveryConfig>()({
  enabled: key.flag,
  registries: key.record(untyped({
    kubernetes: key.record(untyped({ disabled: key.flag })),
    service: key.record(untyped({ disabled: key.flag, endpoint: key.text })),
  })),
});
const ETCD = keys<EtcdClusterConfig>()({
  image: key.text,
  ca: key.record(KEY_PAIR),
  extraArgs: key.args,
  subnet: key.text,
  advertisedSubnets: key.texts,
  listenSubnets: key.texts,
});

/** Shape of `cluster`. */
export const CLUSTER = keys<ClusterConfig>()({
  id: key.text,
  secret: key.secret,
  controlPlane: key.record(keys<ControlPlaneConfig>()({ endpoint: key.text, localAPIServerPort: key.uint32 })),
  clusterName: key.text,
  network: key.record(NETWORK),
  token: key.secret,
  aescbcEncryptionSecret: key.secret,
  secretboxEncryptionSecret: key.secret,
  ca: key.record(KEY_PAIR),
  acceptedCAs: key.records(KEY_PAIR),
  aggregatorCA: key.record(KEY_PAIR),
  serviceAccount: key.record(untyped({ key: key.secretPem })),
  apiServer: key.record(API_SERVER),
  controllerManager: key.record(untyped(COMPONENT)),
  scheduler: key.record(untyped({ ...COMPONENT, config: key.any })),
  proxy: key.record(untyped({ disabled: key.flag, image: key.text, mode: key.text, extraArgs: key.args })),
  discovery: key.record(DISCOVERY),
  etcd: key.record(ETCD),
  coreDNS: key.record(untyped({ disabled: key.flag, image: key.text })),
  externalCloudProvider: key.record(untyped({ enabled: key.flag, manifests: key.texts })),
  extraManifests: key.texts,
  extraManifestHeaders: key.textMap,
  inlineManifests: key.records(untyped({ name: key.text, contents: key.text })),
  adminKubeconfig: key.record(untyped({ certLifetime: key.duration })),
  allowSchedulingOnControlPlanes: key.flag,
  allowSchedulingOnMasters: key.flag,
});
