import { type CertificateAndKey, issueCertificate, newAuthority } from "../pki/mod.ts";
import { ApiClient } from "./client.ts";
import type { Handler } from "./handler.ts";
import { ApiServer, type ServerCertificates } from "./server.ts";

/** A node's server on a free loopback port, with an authority of its own, for tests. */
export class Testbed implements AsyncDisposable {
  readonly #clients: ApiClient[] = [];
  readonly authority: CertificateAndKey;
  readonly server: ApiServer;
  readonly port: number;

  constructor(authority: CertificateAndKey, server: ApiServer, port: number) {
    this.authority = authority;
    this.server = server;
    this.port = port;
  }

  static async start(handlers: Iterable<Handler>): Promise<Testbed> {
    const authority = await testAuthority();
    const server = new ApiServer({
      hostname: "127.0.0.1",
      port: 0,
      certificates: serverCertificates(authority),
      handlers,
      isLocal: (name) => name === "127.0.0.1" || name === "node-1",
    });
    return new Testbed(authority, server, await server.listen());
  }

  /** A client whose certificate carries these roles, signed by the server's authority unless another is given. */
  client(roles: readonly string[], identity: CertificateAndKey = clientIdentity(this.authority, roles)): ApiClient {
    const { crtPem, keyPem } = identity;
    const client = new ApiClient({
      endpoints: [`127.0.0.1:${this.port}`],
      caPem: this.authority.crtPem,
      crtPem,
      keyPem,
    });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

/** A new authority as the secrets of a cluster hold it. */
export function testAuthority(): Promise<CertificateAndKey> {
  return newAuthority({ organization: "talos", kind: "ed25519", years: 1 });
}

/** What a server on 127.0.0.1 shows. */
export function serverCertificates(
  authority: CertificateAndKey,
  acceptedCaPems: readonly string[] = [authority.crtPem],
): ServerCertificates {
  const ips = ["127.0.0.1"];
  return { ...issueCertificate({ authority, subject: {}, ips, usage: "server", validSeconds: 3600 }), acceptedCaPems };
}

/** A client's certificate with these roles. */
export function clientIdentity(authority: CertificateAndKey, roles: readonly string[]): CertificateAndKey {
  return issueCertificate({ authority, subject: { organization: roles }, usage: "client", validSeconds: 3600 });
}
