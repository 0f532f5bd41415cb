import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { CERTIFICATE, type Certificate, CERTIFICATE_AND_KEY, type CertificateAndKey } from "./certificate.ts";

/** Namespace of secrets. */
export const SECRETS = "secrets";

/** Id of the one root secret. */
export const OS_ROOT_SECRET_ID = "os";

/** What the machine API's certificates are made from. */
export interface OSRootSecret {
  /** Signs; its key is empty on workers. */
  issuingCA?: CertificateAndKey;
  /** Whose certificates are accepted, the issuing authority's included. */
  acceptedCAs: readonly Certificate[];
  certSANIPs: readonly string[];
  certSANDNSNames: readonly string[];
  /** Joins a machine to the cluster. */
  token: string;
}

export const OSRootSecrets = defineResource<OSRootSecret>()({
  type: "OSRootSecrets.secrets.talos.dev",
  namespace: SECRETS,
  sensitive: true,
  fields: {
    issuingCA: field.optional(field.record(1, CERTIFICATE_AND_KEY)),
    acceptedCAs: field.list(5, field.record(0, CERTIFICATE)),
    certSANIPs: field.list(2, field.ip()),
    certSANDNSNames: field.list(3, field.string()),
    token: field.string(4, { secret: true }),
  },
});
