import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";
import { NAME_SERVER, type NameServer } from "./name_server.ts";

/** Id of the one list of name servers. */
export const RESOLVER_STATUS_ID = "resolvers";

/** How names are resolved. */
export interface ResolverStatus {
  /** Addresses of `nameServers`. */
  dnsServers: readonly string[];
  nameServers: readonly NameServer[];
  searchDomains: readonly string[];
}

export const ResolverStatuses = defineResource<ResolverStatus>()({
  type: "ResolverStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["resolvers"],
  columns: [{ name: "Resolvers", path: "{.dnsServers}" }, { name: "Search Domains", path: "{.searchDomains}" }],
  fields: {
    dnsServers: field.list(1, field.ip()),
    nameServers: field.list(4, field.record(0, NAME_SERVER), { omitEmpty: true }),
    searchDomains: field.list(2, field.string()),
  },
});
