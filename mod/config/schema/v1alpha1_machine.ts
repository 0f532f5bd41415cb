import { ENCRYPTION_KEYS } from "./block.ts";
import { item, key, KEY_PAIR, type KeyPair, keys, type Untyped, untyped } from "./keys.ts";
import { MACHINE_NETWORK, type MachineNetworkConfig } from "./v1alpha1_network.ts";

/** What a machine is in its cluster; `init` is the old name of the first control plane machine. */
export type MachineType = "controlplane" | "worker" | "init";

/** `machine` of the v1alpha1 document. */
export interface MachineConfig {
  readonly type?: MachineType;
  readonly token?: string;
  readonly ca?: KeyPair;
  readonly acceptedCAs?: readonly KeyPair[];
  readonly certSANs?: readonly string[];
  readonly network?: MachineNetworkConfig;
  readonly install?: Untyped;
  readonly sysctls?: Readonly<Record<string, string>>;
}

const FILE = untyped({
  content: key.text,
  permissions: key.int,
  path: key.text,
  op: key.words("create", "append", "overwrite"),
});
const KUBELET = untyped({
  image: key.text,
  clusterDNS: key.texts,
  extraArgs: key.args,
  extraMounts: key.records(
    untyped({
      destination: key.text,
      type: key.text,
      source: key.text,
      options: key.texts,
      uidMappings: key.list(item.any),
      gidMappings: key.list(item.any),
    }),
  ),
  extraConfig: key.any,
  credentialProviderConfig: key.wholeAny,
  defaultRuntimeSeccompProfileEnabled: key.flag,
  registerWithFQDN: key.flag,
  nodeIP: key.record(untyped({ validSubnets: key.texts })),
  skipNodeRegistration: key.flag,
  disableManifestsDirectory: key.flag,
});
const INSTALL = untyped({
  disk: key.text,
  diskSelector: key.record(untyped({
    size: key.text,
    name: key.text,
    model: key.text,
    serial: key.text,
    modalias: key.text,
    uuid: key.text,
    wwid: key.text,
    type: key.words("ssd", "hdd", "nvme", "sd"),
    busPath: key.text,
  })),
  extraKernelArgs: key.texts,
  image: key.text,
  extensions: key.records(untyped({ image: key.text })),
  wipe: key.flag,
  legacyBIOSSupport: key.flag,
  grubUseUKICmdline: key.flag,
});
const REGISTRIES = untyped({
  mirrors: key.recordMap(untyped({
    endpoints: key.texts,
    overridePath: key.flag,
    skipFallback: key.flag,
  })),
  config: key.recordMap(untyped({
    tls: key.record(untyped({ clientIdentity: key.record(KEY_PAIR), ca: key.pem, insecureSkipVerify: key.flag })),
    auth: key.record(untyped({
      username: key.text,
      password: key.secret,
      auth: key.secret,
      identityToken: key.secret,
    })),
  })),
});
const DISK_ENCRYPTION = untyped({
  provider: key.text,
  keys: ENCRYPTION_KEYS,
  cipher: key.text,
  keySize: key.uint32,
  blockSize: key.uint32,
  options: key.texts,
});
const FEATURES = untyped({
  rbac: key.flag,
  stableHostname: key.flag,
  kubernetesTalosAPIAccess: key.record(untyped({
    enabled: key.flag,
    allowedRoles: key.texts,
    allowedKubernetesNamespaces: key.texts,
  })),
  apidCheckExtKeyUsage: key.flag,
  diskQuotaSupport: key.flag,
  kubePrism: key.record(untyped({ enabled: key.flag, port: key.uint32 })),
  hostDNS: key.record(untyped({
    enabled: key.flag,
    forwardKubeDNSToHost: key.flag,
    resolveMemberNames: key.flag,
  })),
  imageCache: key.record(untyped({ localEnabled: key.flag })),
  nodeAddressSortAlgorithm: key.words("v1", "v2"),
});

/** Shape of `machine`. */
export const MACHINE = keys<MachineConfig>()({
  type: key.words("controlplane", "worker", "init"),
  token: key.secret,
  ca: key.record(KEY_PAIR),
  acceptedCAs: key.records(KEY_PAIR),
  certSANs: key.texts,
  controlPlane: key.record(untyped({
    controllerManager: key.record(untyped({ disabled: key.flag })),
    scheduler: key.record(untyped({ disabled: key.flag })),
  })),
  kubelet: key.record(KUBELET),
  pods: key.list(item.any),
  network: key.record(MACHINE_NETWORK),
  disks: key.records(untyped({
    device: key.text,
    partitions: key.records(untyped({ size: key.text, mountpoint: key.text })),
  })),
  install: key.record(INSTALL),
  files: key.records(FILE),
  env: key.textMap,
  time: key.record(untyped({ disabled: key.flag, servers: key.texts, bootTimeout: key.duration })),
  sysctls: key.textMap,
  sysfs: key.textMap,
  registries: key.record(REGISTRIES),
  systemDiskEncryption: key.record(untyped({
    state: key.record(DISK_ENCRYPTION),
    ephemeral: key.record(DISK_ENCRYPTION),
  })),
  features: key.record(FEATURES),
  udev: key.record(untyped({ rules: key.texts })),
  logging: key.record(untyped({
    destinations: key.records(untyped({
      endpoint: key.text,
      format: key.words("json_lines"),
      extraTags: key.textMap,
    })),
  })),
  kernel: key.record(untyped({ modules: key.records(untyped({ name: key.text, parameters: key.texts })) })),
  seccompProfiles: key.records(untyped({ name: key.text, value: key.any })),
  baseRuntimeSpecOverrides: key.any,
  nodeLabels: key.textMap,
  nodeAnnotations: key.textMap,
  nodeTaints: key.textMap,
});
