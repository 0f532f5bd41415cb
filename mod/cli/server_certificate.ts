import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { parseEndpoint } from "../api/mod.ts";

const TIMEOUT_MS = 3000;

/** The certificate that an endpoint shows, believed or not; undefined when it shows none in time. */
export function serverCertificate(endpoint: string): Promise<X509Certificate | undefined> {
  const { host, port } = parseEndpoint(endpoint);
  const { promise, resolve } = Promise.withResolvers<X509Certificate | undefined>();
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => {
    const { raw } = socket.getPeerCertificate();
    resolve(raw === undefined ? undefined : new X509Certificate(raw));
  });
  socket.setTimeout(TIMEOUT_MS, () => resolve(undefined));
  socket.on("error", () => resolve(undefined)); // why it cannot be reached has been told by who tried before
  return promise.finally(() => socket.destroy());
}

/**
 * What keeps a certificate from being believed: `foreign` when another authority signed it, else words that go on from
 * "the certificate"; undefined when nothing is found.
 */
export function certificateProblem(certificate: X509Certificate, caPem: string, nowMs: number): string | undefined {
  const authority = new X509Certificate(caPem);
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
    return "foreign";
  }
  if (nowMs > Date.parse(certificate.validTo)) return `expired at ${certificate.validTo}, by this machine's clock`;
  if (nowMs < Date.parse(certificate.validFrom)) {
    return `is valid from ${certificate.validFrom} on only, by this machine's clock`;
  }
  if (nowMs > Date.parse(authority.validTo)) return `has an authority that expired at ${authority.validTo}`;
  return undefined;
}
