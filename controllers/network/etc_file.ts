import { type Controller, defineController, shared, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { EtcFileSpecs } from "../../resources/files/etc_file_spec.ts";
import {
  fullyQualifiedName,
  HOSTNAME_STATUS_ID,
  type HostnameStatus,
  HostnameStatuses,
} from "../../resources/network/hostname_status.ts";
import { DEFAULT_NODE_ADDRESS_ID, NodeAddresses } from "../../resources/network/node_address.ts";
import { RESOLVER_STATUS_ID, type ResolverStatus, ResolverStatuses } from "../../resources/network/resolver_status.ts";
import { configHostEntries, type HostEntry } from "./host_entries.ts";

/** Id of the file of names. */
export const HOSTS_FILE_ID = "hosts";
/** Id of the file of name servers. */
export const RESOLV_CONF_FILE_ID = "resolv.conf";

/** What resolv.conf takes of servers (MAXNS of resolv.h). */
const MAX_SERVERS = 3;

/** Writes down names and name servers for programs that read them from /etc. */
export function networkEtcFileController(): Controller {
  return defineController({
    name: "network.EtcFileController",
    inputs: [
      weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID }),
      weak(HostnameStatuses, { id: HOSTNAME_STATUS_ID }),
      weak(ResolverStatuses, { id: RESOLVER_STATUS_ID }),
      weak(NodeAddresses, { id: DEFAULT_NODE_ADDRESS_ID }),
    ],
    outputs: [shared(EtcFileSpecs)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const hostname = await r.get(HostnameStatuses, HOSTNAME_STATUS_ID);
      const resolver = await r.get(ResolverStatuses, RESOLVER_STATUS_ID);
      const own = await r.get(NodeAddresses, DEFAULT_NODE_ADDRESS_ID);
      const file = (contents: string) => ({ contents, mode: 0o644, selinux_label: "" });
      if (resolver !== undefined) await r.modify(EtcFileSpecs, RESOLV_CONF_FILE_ID, file(resolvConf(resolver.spec)));
      if (hostname !== undefined) {
        const entries = configHostEntries(config && configOf(config));
        await r.modify(EtcFileSpecs, HOSTS_FILE_ID, file(hostsFile(hostname.spec, own?.spec.addresses ?? [], entries)));
      }
    },
  });
}

/** Pure: /etc/hosts. `own` are prefixes of the node. @see hosts(5) */
export function hostsFile(hostname: HostnameStatus, own: readonly string[], extra: readonly HostEntry[]): string {
  const ownNames = [...new Set([fullyQualifiedName(hostname), hostname.hostname])];
  const entries: HostEntry[] = [
    { address: "127.0.0.1", names: ["localhost"] },
    ...own.map((prefix) => ({ address: prefix.slice(0, prefix.indexOf("/")), names: ownNames })),
    { address: "::1", names: ["localhost", "ip6-localhost", "ip6-loopback"] },
    { address: "ff02::1", names: ["ip6-allnodes"] },
    { address: "ff02::2", names: ["ip6-allrouters"] },
    ...extra,
  ];
  return entries.filter(({ names }) => names.length > 0)
    .map(({ address, names }) => `${address.padEnd(15)} ${names.join(" ")}\n`).join("");
}

/** Pure: /etc/resolv.conf, for which only plain DNS counts. @see resolv.conf(5) */
export function resolvConf({ nameServers, searchDomains }: ResolverStatus): string {
  const plain = nameServers.filter(({ protocol }) => protocol === "Do53").slice(0, MAX_SERVERS);
  const search = searchDomains.length === 0 ? "" : `search ${searchDomains.join(" ")}\n`;
  return plain.map(({ addr }) => `nameserver ${addr}\n`).join("") + search;
}
