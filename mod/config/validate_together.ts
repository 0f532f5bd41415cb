import { documentOf, documentsOf, type MachineConfigDocuments } from "./documents.ts";
import { type Findings, Place } from "./place.ts";
import type { MachineMode } from "./validate.ts";

/** Checks that span documents: what one needs of another, and where two contradict each other. */
export function checkTogether(config: MachineConfigDocuments, mode: MachineMode, findings: Findings): void {
  if (config.documents.length === 0) new Place(findings, 1, undefined).error("there is no document in it");
  checkDiscovery(config, findings);
  checkOldAndNew(config, findings);
  const v1alpha1 = config.documents.find(({ kind }) => kind === "v1alpha1");
  if (v1alpha1 === undefined) return;
  const place = new Place(findings, v1alpha1.document, v1alpha1.value);
  if (documentOf(config, "KubeClusterConfig") === undefined) place.at("cluster", "controlPlane", "endpoint").require();
  const installs = place.at("machine", "install").isSet || documentOf(config, "UnattendedInstallConfig") !== undefined;
  if (mode === "metal" && !installs) place.warn("nothing says where to install; the machine runs from its boot medium");
  if (mode === "container" && place.at("machine", "install").isSet) {
    place.at("machine", "install").warn("a container is not installed; ignored");
  }
}

function checkDiscovery(config: MachineConfigDocuments, findings: Findings): void {
  const services = documentsOf(config, "DiscoveryServiceConfig");
  const old = config.v1alpha1?.cluster?.discovery?.enabled === true;
  const kubespan = documentOf(config, "KubeSpanConfig");
  if (kubespan?.value.enabled === true && services.length === 0 && !old) {
    new Place(findings, kubespan.document, kubespan.value).at("enabled").error(
      "needs discovery of the cluster's members: no DiscoveryServiceConfig",
    );
  }
  const asking = services[0] ?? (old ? config.documents.find(({ kind }) => kind === "v1alpha1") : undefined);
  if (asking === undefined || documentOf(config, "DiscoveryIdentityConfig") !== undefined) return;
  const cluster = config.v1alpha1?.cluster;
  const place = new Place(findings, asking.document, asking.value);
  if ((cluster?.id ?? "") === "") {
    place.error("discovery needs the cluster's id: a DiscoveryIdentityConfig or cluster.id");
  }
  if ((cluster?.secret ?? "") === "") {
    place.error("discovery needs the cluster's secret: a DiscoveryIdentityConfig or cluster.secret");
  }
}

/** The same thing said in the v1alpha1 document and in one of its own. */
function checkOldAndNew(config: MachineConfigDocuments, findings: Findings): void {
  const network = config.v1alpha1?.machine?.network;
  if (network === undefined) return;
  const hostname = documentOf(config, "HostnameConfig");
  if (hostname !== undefined && (network.hostname ?? "") !== "") {
    new Place(findings, hostname.document, hostname.value).error(
      "machine.network.hostname is set too; keep one of them",
    );
  }
  const resolver = documentOf(config, "ResolverConfig");
  if (resolver !== undefined) {
    const place = new Place(findings, resolver.document, resolver.value);
    if ((network.nameservers ?? []).length > 0 && (resolver.value.nameservers ?? []).length > 0) {
      place.at("nameservers").error("machine.network.nameservers is set too; keep one of them");
    }
    if ((network.searchDomains ?? []).length > 0 && (resolver.value.searchDomains?.domains ?? []).length > 0) {
      place.at("searchDomains").error("machine.network.searchDomains is set too; keep one of them");
    }
  }
  const names = new Set(network.interfaces?.map((link) => link.interface));
  for (const kind of ["LinkConfig", "DummyLinkConfig"] as const) {
    for (const { name, document, value } of documentsOf(config, kind)) {
      if (names.has(name)) {
        new Place(findings, document, value).at("name").error(`machine.network.interfaces has "${name}" too; keep one`);
      }
    }
  }
}
