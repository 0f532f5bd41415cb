import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { CONFIG_LAYERS, type ConfigLayer, NETWORK } from "./layer.ts";
import { NAME_SERVER, type NameServer } from "./name_server.ts";

/** Id of the one merged list of name servers. */
export const RESOLVERS_ID = "resolvers";

/** How names must be resolved. */
export interface ResolverSpec {
  /** Addresses of `nameServers`, for readers that know plain DNS only. */
  dnsServers: readonly string[];
  nameServers: readonly NameServer[];
  layer: ConfigLayer;
  searchDomains: readonly string[];
  /** The list of domains replaces those of lower layers, also when it is empty. */
  searchDomainsOverridden: boolean;
}

export const ResolverSpecs = defineResource<ResolverSpec>()({
  type: "ResolverSpecs.net.talos.dev",
  namespace: NETWORK,
  columns: [
    { name: "Layer", path: "{.layer}" },
    { name: "Resolvers", path: "{.dnsServers}" },
    { name: "Search Domains", path: "{.searchDomains}" },
  ],
  fields: {
    dnsServers: field.list(1, field.ip()),
    nameServers: field.list(4, field.record(0, NAME_SERVER), { omitEmpty: true }),
    layer: field.oneOf(2, CONFIG_LAYERS),
    searchDomains: field.list(3, field.string(), { omitEmpty: true }),
    searchDomainsOverridden: field.bool(5, { omitEmpty: true }),
  },
});
