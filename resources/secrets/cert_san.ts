import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { SECRETS } from "./os_root_secret.ts";

/** Id of the names of the machine API. */
export const API_CERT_SAN_ID = "api";

/** Names for which a certificate must be valid. */
export interface CertSAN {
  /** Sorted, without duplicates. */
  ips: readonly string[];
  /** Sorted, without duplicates. */
  dnsNames: readonly string[];
  /** The node's full name. */
  fqdn: string;
}

export const CertSANs = defineResource<CertSAN>()({
  type: "CertSANs.secrets.talos.dev",
  namespace: SECRETS,
  sensitive: true,
  fields: { ips: field.list(1, field.ip()), dnsNames: field.list(2, field.string()), fqdn: field.string(3) },
});
