import { type Controller, defineController, exclusive, weak } from "../../mod/cosi/mod.ts";
import { issueCertificate } from "../../mod/pki/mod.ts";
import { isEqual } from "../../mod/schema/mod.ts";
import { API_CERTIFICATE_ID, type ApiCertificate, ApiCertificates } from "../../resources/secrets/api_certificate.ts";
import { API_CERT_SAN_ID, type CertSAN, CertSANs } from "../../resources/secrets/cert_san.ts";
import { OS_ROOT_SECRET_ID, type OSRootSecret, OSRootSecrets } from "../../resources/secrets/os_root_secret.ts";
import type { CertificateAndKey } from "../../resources/secrets/certificate.ts";

/** How long a certificate of the machine API is valid. */
const VALID_SECONDS = 24 * 60 * 60;
/** When it is replaced, so that a node without its authority's clock for half a day still serves. */
const REFRESH_MS = VALID_SECONDS * 1000 / 2;

/** Issues the machine API's certificates, anew when names or authority change and when half their time is over. */
export function apiController(now: () => number = Date.now): Controller {
  let issued: { readonly root: OSRootSecret; readonly names: CertSAN; readonly atMs: number } | undefined;
  return defineController({
    name: "secrets.APIController",
    inputs: [weak(OSRootSecrets, { id: OS_ROOT_SECRET_ID }), weak(CertSANs, { id: API_CERT_SAN_ID })],
    outputs: [exclusive(ApiCertificates)],
    async reconcile(r) {
      const root = (await r.get(OSRootSecrets, OS_ROOT_SECRET_ID))?.spec;
      const names = (await r.get(CertSANs, API_CERT_SAN_ID))?.spec;
      if (root === undefined || names === undefined) return await r.sync(ApiCertificates, []);
      if (!root.issuingCA?.key) {
        throw new Error("Cannot issue the API's certificate: this machine has no key of the authority");
      }
      const age = issued === undefined ? Infinity : now() - issued.atMs;
      if (issued !== undefined && age < REFRESH_MS && isEqual(issued.root, root) && isEqual(issued.names, names)) {
        return r.reconcileWithin(REFRESH_MS - age);
      }
      await r.modify(ApiCertificates, API_CERTIFICATE_ID, apiCertificate(root, root.issuingCA, names));
      issued = { root, names, atMs: now() };
      r.log(`issued the API's certificate for ${[...names.ips, ...names.dnsNames].join(", ")}`);
      r.reconcileWithin(REFRESH_MS);
    },
  });
}

function apiCertificate(root: OSRootSecret, authority: CertificateAndKey, names: CertSAN): ApiCertificate {
  const common = {
    authority: { crtPem: authority.crt, keyPem: authority.key },
    validSeconds: VALID_SECONDS,
  };
  const server = issueCertificate({
    ...common,
    subject: { commonName: names.fqdn },
    ips: names.ips,
    dnsNames: names.dnsNames,
    usage: "server",
  });
  const client = issueCertificate({
    ...common,
    subject: { organization: "os:impersonator", commonName: names.fqdn },
    usage: "client",
  });
  return {
    acceptedCAs: root.acceptedCAs,
    server: { crt: server.crtPem, key: server.keyPem },
    client: { crt: client.crtPem, key: client.keyPem },
    skipVerifyingClientCert: false,
  };
}
