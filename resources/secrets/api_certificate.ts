import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { CERTIFICATE, type Certificate, CERTIFICATE_AND_KEY, type CertificateAndKey } from "./certificate.ts";
import { SECRETS } from "./os_root_secret.ts";

/** Id of the one set of certificates. */
export const API_CERTIFICATE_ID = "api";

/** What the machine API serves with, and with which it calls other nodes. */
export interface ApiCertificate {
  acceptedCAs: readonly Certificate[];
  client?: CertificateAndKey;
  server?: CertificateAndKey;
  skipVerifyingClientCert: boolean;
}

export const ApiCertificates = defineResource<ApiCertificate>()({
  type: "ApiCertificates.secrets.talos.dev",
  namespace: SECRETS,
  sensitive: true,
  fields: {
    acceptedCAs: field.list(4, field.record(0, CERTIFICATE)),
    client: field.optional(field.record(2, CERTIFICATE_AND_KEY)),
    server: field.optional(field.record(3, CERTIFICATE_AND_KEY)),
    skipVerifyingClientCert: field.bool(5),
  },
});
