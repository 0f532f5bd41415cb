import { DISK_CEL, OOM_CEL } from "./cel_environments.ts";
import { checkBase64, checkExpression, checkHostPort, checkImage, checkPort, checkUrl } from "./forms.ts";
import type { Place } from "./place.ts";

const IDENTITY_BYTES = 32;
const MIN_WATCHDOG_MS = 10_000;
/** A Kubernetes label: an optional DNS prefix and a name of at most 63 characters. */
const LABEL = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[a-zA-Z0-9]([\w.-]{0,61}[a-zA-Z0-9])?$/;
const LABEL_VALUE = /^([a-zA-Z0-9]([\w.-]{0,61}[a-zA-Z0-9])?)?$/;

/** Reports labels that Kubernetes refuses, with the values where they follow the same rule. */
export function checkLabels(labels: Place): void {
  checkLabelNames(labels);
  for (const [, label] of labels.entries) {
    if (!LABEL_VALUE.test(label.text)) label.error('expected at most 63 letters, digits, "-", "_" and "."');
  }
}

function checkLabelNames(labels: Place): void {
  for (const [name, label] of labels.entries) {
    if (!LABEL.test(name)) label.error(`Kubernetes takes no label with the name "${name}"`);
  }
}

/** Reports kernel parameters whose name leads elsewhere, and those that stand there twice. */
export function checkParameters(parameters: Place): void {
  const seen = new Set<string>();
  for (const [name, parameter] of parameters.entries) {
    if (name === "" || /\s/.test(name) || name.split("/").includes("..") || name.startsWith("/")) {
      parameter.error(`expected the name of a kernel parameter such as net.ipv4.ip_forward, found "${name}"`);
    }
    const plain = name.replaceAll("/", ".");
    if (seen.has(plain)) {
      parameter.warn("the parameter stands here twice, with dots and with slashes; the later one counts");
    }
    seen.add(plain);
  }
}

function component(document: Place): void {
  checkImage(document.at("image"));
}

/** Checks of documents about Kubernetes, discovery, registries and the running machine, by kind. */
export const SERVICE_CHECKS: Readonly<Record<string, (document: Place) => void>> = {
  DiscoveryServiceConfig: (service) => checkUrl(service.at("endpoint"), "https", "http"),
  DiscoveryIdentityConfig(identity) {
    checkBase64(identity.at("clusterID"), IDENTITY_BYTES);
    checkBase64(identity.at("clusterSecret"), IDENTITY_BYTES);
  },
  KubeClusterConfig: (cluster) => checkUrl(cluster.at("endpoint"), "https"),
  KubeNetworkConfig(network) {
    network.at("podSubnets").require();
    network.at("serviceSubnets").require();
    for (const [name, limit] of [["nodeCIDRMaskSizeIPv4", 32], ["nodeCIDRMaskSizeIPv6", 128]] as const) {
      const { number } = network.at(name);
      if (number !== undefined && (number < 1 || number > limit)) {
        network.at(name).error(`expected a number from 1 to ${limit}, found ${number}`);
      }
    }
  },
  KubeNodeConfig(node) {
    checkLabels(node.at("labels"));
    checkLabelNames(node.at("annotations"));
    checkLabelNames(node.at("taints"));
  },
  KubeletConfig: component,
  KubeAPIServerConfig(server) {
    component(server);
    checkPort(server.at("apiPort"));
  },
  KubeControllerManagerConfig: component,
  KubeSchedulerConfig: component,
  KubeProxyConfig: component,
  KubeCoreDNSConfig: component,
  KubeServiceAccountConfig(account) {
    account.at("issuer", "privateKey").require();
    account.at("issuer", "issuerURL").require();
  },
  KubeAuthorizerConfig: (authorizer) => void authorizer.at("type").require(),
  KubeStaticPodConfig: (pod) => void pod.at("pod").require(),
  KubeExternalManifestConfig: (manifest) => checkUrl(manifest.at("url"), "http", "https"),
  KubePrismConfig: (prism) => checkPort(prism.at("port")),
  RegistryMirrorConfig(mirror) {
    for (const endpoint of mirror.at("endpoints").items) checkUrl(endpoint.at("url"), "http", "https");
  },
  ContainerConfig: component,
  EtcFileConfig(file) {
    const name = file.at("name");
    if (name.text.startsWith("/") || name.text.split("/").some((part) => part === ".." || part === ".")) {
      name.error("expected a path below /etc such as myapp/config, without /etc itself");
    }
    const { number = 0 } = file.at("mode");
    if (number > 0o7777) file.at("mode").error("expected a file mode such as 0o644");
  },
  EventSinkConfig: (sink) => checkHostPort(sink.at("endpoint")),
  KmsgLogConfig(log) {
    checkUrl(log.at("url"), "tcp", "udp");
  },
  SysctlConfig: (sysctls) => checkParameters(sysctls.at("params")),
  SysfsConfig: (sysfs) => checkParameters(sysfs.at("params")),
  OOMConfig(oom) {
    checkExpression(oom.at("triggerExpression"), OOM_CEL);
    checkExpression(oom.at("cgroupRankingExpression"), OOM_CEL);
  },
  UnattendedInstallConfig(install) {
    checkImage(install.at("installer", "image"));
    checkExpression(install.at("provisioning", "diskSelector", "match"), DISK_CEL);
  },
  WatchdogTimerConfig(timer) {
    const { number } = timer.at("timeout");
    if (number !== undefined && number < MIN_WATCHDOG_MS) timer.at("timeout").error("expected at least 10s");
  },
  SideroLinkConfig: (link) => checkUrl(link.at("apiUrl"), "https", "grpc"),
};
