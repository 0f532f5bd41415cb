import type { MachineConfigDocuments } from "../../mod/config/mod.ts";
import { type Controller, defineController, exclusive, type Wanted, weak } from "../../mod/cosi/mod.ts";
import { compareAddresses } from "../../mod/netip/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import {
  fullyQualifiedName,
  HOSTNAME_STATUS_ID,
  type HostnameStatus,
  HostnameStatuses,
} from "../../resources/network/hostname_status.ts";
import { DEFAULT_NODE_ADDRESS_ID, NodeAddresses } from "../../resources/network/node_address.ts";
import { type StaticHost, StaticHosts } from "../../resources/network/static_host.ts";
import { configHostEntries } from "./host_entries.ts";

/** Names that are resolved without asking a name server: the node's own and those of the config. */
export function staticHostController(): Controller {
  return defineController({
    name: "network.StaticHostController",
    inputs: [
      weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID }),
      weak(HostnameStatuses, { id: HOSTNAME_STATUS_ID }),
      weak(NodeAddresses, { id: DEFAULT_NODE_ADDRESS_ID }),
    ],
    outputs: [exclusive(StaticHosts)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const hostname = await r.get(HostnameStatuses, HOSTNAME_STATUS_ID);
      const own = await r.get(NodeAddresses, DEFAULT_NODE_ADDRESS_ID);
      await r.sync(StaticHosts, staticHosts(config && configOf(config), hostname?.spec, own?.spec.addresses ?? []));
    },
  });
}

/** Pure: addresses by name; `own` are prefixes of the node itself. */
export function staticHosts(
  config: MachineConfigDocuments | undefined,
  hostname: HostnameStatus | undefined,
  own: readonly string[],
): Wanted<StaticHost>[] {
  const byName = new Map<string, Set<string>>();
  const add = (name: string, address: string) => {
    const addresses = byName.get(name);
    if (addresses === undefined) byName.set(name, new Set([address]));
    else addresses.add(address);
  };
  for (const prefix of hostname === undefined ? [] : own) {
    const address = prefix.slice(0, prefix.indexOf("/"));
    for (const name of hostname === undefined ? [] : [hostname.hostname, fullyQualifiedName(hostname)]) {
      add(name, address);
    }
  }
  for (const { address, names } of configHostEntries(config)) for (const name of names) add(name, address);
  return [...byName].map(([id, addresses]) => ({ id, spec: { addresses: [...addresses].sort(compareAddresses) } }));
}
