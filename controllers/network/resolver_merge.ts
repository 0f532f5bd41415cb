import type { Controller } from "../../mod/cosi/mod.ts";
import { familyOf } from "../../resources/network/family.ts";
import type { NameServer } from "../../resources/network/name_server.ts";
import { RESOLVERS_ID, type ResolverSpec, ResolverSpecs } from "../../resources/network/resolver_spec.ts";
import { type Layered, mergeController, type Merged, type MergeRule } from "./merge.ts";

/** Higher layers replace name servers and put their search domains first. */
export const RESOLVER_MERGE: MergeRule<ResolverSpec> = { idOf: () => RESOLVERS_ID, fold: foldResolvers };

/** A value with the origins of its parts. */
interface Part<T> {
  readonly values: readonly T[];
  readonly origins: readonly string[];
}

function foldResolvers(wishes: readonly Layered<ResolverSpec>[]): Merged<ResolverSpec> {
  let servers: Part<NameServer> = { values: [], origins: [] };
  let domains: Part<string> = { values: [], origins: [] };
  let layer: ResolverSpec["layer"] | undefined;
  let isOverridden = false;
  for (const { spec, origin } of wishes) {
    const isSameLayer = spec.layer === layer;
    layer = spec.layer;
    if (spec.nameServers.length > 0) servers = mergeServers(servers, spec, origin, isSameLayer);
    if (spec.searchDomainsOverridden) domains = { values: spec.searchDomains, origins: [origin] };
    else if (spec.searchDomains.length > 0) domains = mergeDomains(domains, spec.searchDomains, origin, isSameLayer);
    isOverridden ||= spec.searchDomainsOverridden;
  }
  return {
    spec: {
      dnsServers: servers.values.map((server) => server.addr),
      nameServers: servers.values,
      layer: layer ?? "default",
      searchDomains: domains.values,
      searchDomainsOverridden: isOverridden,
    },
    origins: {
      ...(servers.origins.length === 0 ? {} : { nameServers: servers.origins.join(", ") }),
      ...(domains.origins.length === 0 ? {} : { searchDomains: domains.origins.join(", ") }),
    },
  };
}

/**
 * One layer's sources add up. The machine config replaces what was there; any other layer replaces only the families
 * that it brings, so that DHCP for IPv4 does not lose the IPv6 servers.
 */
function mergeServers(
  old: Part<NameServer>,
  spec: ResolverSpec,
  origin: string,
  isSameLayer: boolean,
): Part<NameServer> {
  const added = unique(spec.nameServers);
  if (isSameLayer) return { values: unique([...old.values, ...added]), origins: [...old.origins, origin] };
  if (spec.layer === "configuration") return { values: added, origins: [origin] };
  const families = new Set(added.map((server) => familyOf(server.addr)));
  const kept = old.values.filter((server) => !families.has(familyOf(server.addr)));
  const origins = kept.length === 0 ? [origin] : [...old.origins, origin];
  return { values: [...added, ...kept], origins };
}

function mergeDomains(old: Part<string>, added: readonly string[], origin: string, isSameLayer: boolean): Part<string> {
  const values = isSameLayer ? [...old.values, ...added] : [...added, ...old.values];
  return { values: [...new Set(values)], origins: [...old.origins, origin] };
}

function unique(servers: readonly NameServer[]): NameServer[] {
  const keys = new Set<string>();
  return servers.filter(({ addr, protocol, tlsServerName }) => {
    const key = `${protocol} ${addr} ${tlsServerName}`;
    return !keys.has(key) && keys.add(key);
  });
}

export function resolverMergeController(): Controller {
  return mergeController("network.ResolverMergeController", ResolverSpecs, RESOLVER_MERGE);
}
