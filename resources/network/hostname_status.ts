import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";

/** Id of the one host name. */
export const HOSTNAME_STATUS_ID = "hostname";

/** The name that the node has. */
export interface HostnameStatus {
  hostname: string;
  /** The labels after the first, or empty. */
  domainname: string;
}

export const HostnameStatuses = defineResource<HostnameStatus>()({
  type: "HostnameStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["hostname"],
  columns: [{ name: "Hostname", path: "{.hostname}" }, { name: "Domainname", path: "{.domainname}" }],
  fields: { hostname: field.string(1), domainname: field.string(2) },
});

/** Host and domain name in one. */
export function fullyQualifiedName(status: HostnameStatus): string {
  return status.domainname === "" ? status.hostname : `${status.hostname}.${status.domainname}`;
}
