import { type Base64Pair, fromBase64Pem } from "../pki/mod.ts";
import {
  AUDIT_POLICY,
  type CompleteOptions,
  EXCLUDE_FROM_LOAD_BALANCERS,
  isControlPlane,
  kubernetesImage,
  pairFor,
  POD_SECURITY,
} from "./generate_options.ts";

/** The documents of a config in the shape of contract v1.14: a small v1alpha1 document and one for each concern. */
export function documentsOf114(options: CompleteOptions): object[] {
  return [
    machineAndCluster(options),
    ...machineDocuments(options),
    ...kubernetesDocuments(options),
    ...(isControlPlane(options) ? controlPlaneDocuments(options) : []),
  ];
}

function machineAndCluster(options: CompleteOptions): object {
  const { trustdinfo, secrets, certs } = options.secrets;
  return {
    version: "v1alpha1",
    debug: false,
    persist: true,
    machine: {
      type: options.machineType,
      token: trustdinfo.token,
      ca: pairFor(options, certs.os),
      certSANs: options.additionalSans,
      features: { diskQuotaSupport: true },
    },
    cluster: { token: secrets.bootstraptoken, ...(isControlPlane(options) && { etcd: { ca: certs.etcd } }) },
  };
}

function document(kind: string, fields: object): object {
  return { apiVersion: "v1alpha1", kind, ...fields };
}

function machineDocuments(options: CompleteOptions): object[] {
  const { install, secrets } = options;
  return [
    document("DiscoveryServiceConfig", { name: "default", endpoint: "https://discovery.talos.dev/" }),
    document("DiscoveryIdentityConfig", { clusterID: secrets.cluster.id, clusterSecret: secrets.cluster.secret }),
    ...(install === undefined ? [] : [
      document("UnattendedInstallConfig", {
        installer: { image: install.image },
        provisioning: { diskSelector: { match: `disk.dev_path == "${install.disk}"` }, wipe: false },
      }),
    ]),
    document("ResolverConfig", { hostDNS: { enabled: true, forwardKubeDNSToHost: true } }),
    document("VolumeConfig", { name: "EPHEMERAL", mount: { secure: true } }),
    document("FilesystemTrimConfig", { interval: "168h0m0s" }),
    document("SecurityProfileConfig", { workloadIsolation: true }),
    ...Object.entries(options.registryMirrors).map(([name, urls]) =>
      document("RegistryMirrorConfig", { name, endpoints: urls.map((url) => ({ url })) })
    ),
    document("HostnameConfig", { auto: "stable" }),
    ...(options.kubeSpan === "enabled" ? [document("KubeSpanConfig", { enabled: true })] : []),
  ];
}

function kubernetesDocuments(options: CompleteOptions): object[] {
  const { k8s } = options.secrets.certs;
  return [
    document("KubeClusterConfig", { clusterName: options.clusterName, endpoint: options.endpoint }),
    document("KubeNodeConfig", {
      nodeIP: {},
      ...(isControlPlane(options) && {
        labels: { "node-role.kubernetes.io/control-plane": "", [EXCLUDE_FROM_LOAD_BALANCERS]: "" },
        taints: { "node-role.kubernetes.io/control-plane": "NoSchedule" },
      }),
    }),
    document("KubeletConfig", {
      image: kubernetesImage(options, "kubelet"),
      config: {},
      defaultRuntimeSeccompProfileEnabled: true,
    }),
    document("KubeNetworkConfig", {
      dnsDomain: options.dnsDomain,
      podSubnets: options.podSubnets,
      serviceSubnets: options.serviceSubnets,
    }),
    document(
      "KubeAPIServerCAConfig",
      isControlPlane(options) ? { issuingCA: issuing(k8s) } : { acceptedCAs: [fromBase64Pem(k8s.crt)] },
    ),
    document("KubePrismConfig", { port: 7445 }),
  ];
}

function controlPlaneDocuments(options: CompleteOptions): object[] {
  const { certs, secrets } = options.secrets;
  const anonymous = ["/livez", "/readyz", "/healthz"].map((path) => ({ path }));
  const secretbox = { keys: [{ name: "key2", secret: secrets.secretboxencryptionsecret }] };
  return [
    document("KubeAggregatorCAConfig", { issuingCA: issuing(certs.k8saggregator) }),
    document("KubeAdmissionControlConfig", { name: "PodSecurity", configuration: POD_SECURITY }),
    document("KubeAuditPolicyConfig", { configuration: AUDIT_POLICY }),
    document("KubeAuthenticationConfig", {
      configuration: { anonymous: { conditions: anonymous, enabled: true }, jwt: [] },
    }),
    document("KubeAuthorizerConfig", { name: "node", type: "Node" }),
    document("KubeAuthorizerConfig", { name: "rbac", type: "RBAC" }),
    document("KubeEtcdEncryptionConfig", {
      config: { resources: [{ providers: [{ secretbox }], resources: ["secrets"] }] },
    }),
    document("KubeServiceAccountConfig", {
      issuer: { privateKey: fromBase64Pem(certs.k8sserviceaccount.key), issuerURL: options.endpoint },
    }),
    document("KubeAPIServerConfig", {
      image: kubernetesImage(options, "kube-apiserver"),
      ...(options.additionalSans.length > 0 && { certExtraSANs: options.additionalSans }),
    }),
    document("KubeControllerManagerConfig", { image: kubernetesImage(options, "kube-controller-manager") }),
    document("KubeSchedulerConfig", { image: kubernetesImage(options, "kube-scheduler"), config: {} }),
    document("KubeProxyConfig", { image: kubernetesImage(options, "kube-proxy"), config: {} }),
    document("KubeFlannelCNIConfig", { backendType: "vxlan", backendPort: 4789 }),
    document("KubeCoreDNSConfig", { enabled: true }),
  ];
}

/** An authority in the form of these documents: PEM text. */
function issuing({ crt, key }: Base64Pair): object {
  return { cert: fromBase64Pem(crt), key: fromBase64Pem(key) };
}
