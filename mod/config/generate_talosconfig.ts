import { stringify } from "@std/yaml";
import { type CertificateAndKey, issueCertificate, toBase64Pem } from "../pki/mod.ts";

/** What {@linkcode generateTalosconfig} makes. */
export interface TalosconfigOptions {
  /** Name of the one context. */
  clusterName: string;
  /** Hosts, `host:port` texts or `https://` URLs of machines to connect to. */
  endpoints: readonly string[];
  /** Machines that commands are for when none is given. */
  nodes?: readonly string[];
  /** The cluster's authority of the machine API. */
  authority: CertificateAndKey;
  /** Default `["os:admin"]`. */
  roles?: readonly string[];
  /** Default a year. */
  validSeconds?: number;
}

/** A talosconfig file as YAML text, with a new client certificate that carries the roles as organizations. */
export function generateTalosconfig(options: TalosconfigOptions): string {
  const { authority, nodes = [], roles = ["os:admin"], validSeconds = 365 * 86400 } = options;
  const client = issueCertificate({ authority, subject: { organization: roles }, usage: "client", validSeconds });
  const context = {
    endpoints: options.endpoints,
    ...(nodes.length > 0 && { nodes }),
    ca: toBase64Pem(authority.crtPem),
    crt: toBase64Pem(client.crtPem),
    key: toBase64Pem(client.keyPem),
  };
  const talosconfig = { context: options.clusterName, contexts: { [options.clusterName]: context } };
  return stringify(talosconfig, { indent: 4, lineWidth: -1, useAnchors: false });
}
