import type { MachineConfigDocuments } from "../../mod/config/mod.ts";
import { documentOf } from "../../mod/config/mod.ts";
import { type Controller, defineController, shared, weak } from "../../mod/cosi/mod.ts";
import { canonicalAddress } from "../../mod/netip/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { HOSTNAME_STATUS_ID, HostnameStatuses } from "../../resources/network/hostname_status.ts";
import { type ConfigLayer, NETWORK_CONFIG } from "../../resources/network/layer.ts";
import type { NameServer } from "../../resources/network/name_server.ts";
import { RESOLVERS_ID, type ResolverSpec, ResolverSpecs } from "../../resources/network/resolver_spec.ts";
import { type NetworkArguments, parseNetworkArguments } from "./kernel_arguments.ts";
import { layeredWishes, type SourcedSpec } from "./layered_wish.ts";

/** Servers that are asked when nobody names others. */
const DEFAULT_SERVERS = ["1.1.1.1", "8.8.8.8"];

/** @param cmdline the kernel's command line */
export function resolverConfigController(cmdline: string): Controller {
  const parsed = parseNetworkArguments(cmdline);
  return defineController({
    name: "network.ResolverConfigController",
    inputs: [
      weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID }),
      weak(HostnameStatuses, { id: HOSTNAME_STATUS_ID }),
    ],
    outputs: [shared(ResolverSpecs)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const domain = (await r.get(HostnameStatuses, HOSTNAME_STATUS_ID))?.spec.domainname ?? "";
      const specs = resolverSpecs(config && configOf(config), parsed, domain);
      await r.sync(ResolverSpecs, layeredWishes(specs), { namespace: NETWORK_CONFIG });
    },
  });
}

/** Pure: the name servers and search domains that the sources give; `domain` is the node's own, or empty. */
export function resolverSpecs(
  config: MachineConfigDocuments | undefined,
  kernel: NetworkArguments,
  domain: string,
): SourcedSpec<ResolverSpec>[] {
  const network = config?.v1alpha1?.machine?.network;
  const document = config && documentOf(config, "ResolverConfig");
  const { nameservers, searchDomains } = document?.value ?? {};
  const isDefaultOff = network?.disableSearchDomain || searchDomains?.disableDefault;
  const specs: SourcedSpec<ResolverSpec>[] = [];
  const add = (layer: ConfigLayer, source: string, servers: readonly NameServer[], domains: readonly string[] = []) => {
    if (servers.length > 0 || domains.length > 0) {
      specs.push({ id: RESOLVERS_ID, source, spec: resolverSpec(layer, servers, domains, false) });
    }
  };
  const own = domain === "" || isDefaultOff ? [] : [domain];
  add("default", "built in", DEFAULT_SERVERS.map(plainServer), own);
  add("cmdline", "kernel argument ip=", kernel.links.flatMap((link) => link.dnsServers).map(plainServer));
  const listed = network?.nameservers?.map(plainServer) ?? [];
  add("configuration", "machine.network.nameservers", listed, network?.searchDomains);
  if (nameservers !== undefined || searchDomains?.domains !== undefined) {
    const servers = (nameservers ?? []).map((server) => ({ ...plainServer(server.address), ...encryption(server) }));
    const isOverridden = searchDomains?.domains !== undefined;
    const spec = resolverSpec("configuration", servers, searchDomains?.domains ?? [], isOverridden);
    specs.push({ id: RESOLVERS_ID, source: "ResolverConfig", spec });
  }
  return specs;
}

function plainServer(addr: string): NameServer {
  return { addr: canonicalAddress(addr), protocol: "Do53", tlsServerName: "" };
}

type ConfiguredServer = Partial<Pick<NameServer, "protocol" | "tlsServerName">>;

function encryption({ protocol = "Do53", tlsServerName = "" }: ConfiguredServer): Required<ConfiguredServer> {
  return { protocol, tlsServerName };
}

function resolverSpec(
  layer: ConfigLayer,
  nameServers: readonly NameServer[],
  searchDomains: readonly string[],
  searchDomainsOverridden: boolean,
): ResolverSpec {
  const dnsServers = nameServers.map((server) => server.addr);
  return { dnsServers, nameServers, layer, searchDomains, searchDomainsOverridden };
}
