import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { issueCertificate, newAuthority, newRsaKey } from "./certificate.ts";
import { certificateInfo, certificateParts } from "./certificate_info.ts";
import { decodePem, encodePem, parsePrivateKey } from "./pem.ts";

const NOW = new Date("2026-11-29T21:00:00Z");
const authority = await newAuthority({ organization: "talos", kind: "ed25519", years: 10, now: NOW });

Deno.test("newAuthority() signs itself and may sign others", () => {
  const certificate = new X509Certificate(authority.crtPem);
  ok(certificate.ca);
  ok(certificate.verify(certificate.publicKey));
  ok(certificate.checkPrivateKey(parsePrivateKey(authority.keyPem)));
  strictEqual(certificate.subject, "O=talos");
  deepStrictEqual(certificate.keyUsage, ["DigitalSignature", "KeyCertSign"]);
  strictEqual(certificate.validFrom, "Nov 29 20:55:00 2026 GMT");
  strictEqual(certificate.validTo, "Nov 29 21:00:00 2036 GMT");
  ok(authority.keyPem.startsWith("-----BEGIN ED25519 PRIVATE KEY-----\n"));
});

Deno.test("newAuthority() without a name, past 2050, of another kind", async () => {
  const { crtPem, keyPem } = await newAuthority({ kind: "ecdsa-p256", years: 30, now: NOW });
  const certificate = new X509Certificate(crtPem);
  ok(certificate.verify(certificate.publicKey));
  strictEqual(certificateInfo(crtPem).notAfter.toISOString(), "2056-11-29T21:00:00.000Z");
  ok(keyPem.startsWith("-----BEGIN EC PRIVATE KEY-----\n"));
  const leaf = issueCertificate({ authority: { crtPem, keyPem }, subject: {}, usage: "both", validSeconds: 60 });
  ok(new X509Certificate(leaf.crtPem).verify(certificate.publicKey));
});

Deno.test("issueCertificate() names, addresses and usage; the chain verifies", () => {
  const { crtPem, keyPem } = issueCertificate({
    authority,
    subject: { organization: ["os:admin", "os:reader"], commonName: "Jürgen" },
    ips: ["10.5.0.2", "fd00::1"],
    dnsNames: ["node-1", "node-1.example.org"],
    usage: "server",
    validSeconds: 86400,
    now: NOW,
  });
  const certificate = new X509Certificate(crtPem);
  ok(certificate.verify(new X509Certificate(authority.crtPem).publicKey));
  ok(certificate.checkIssued(new X509Certificate(authority.crtPem)));
  ok(certificate.checkPrivateKey(parsePrivateKey(keyPem)));
  const extensions = certificateParts(crtPem).extensions;
  deepStrictEqual([...(extensions.get("2.5.29.37") ?? [])], [48, 10, 6, 8, 43, 6, 1, 5, 5, 7, 3, 1]);
  ok(!extensions.has("2.5.29.19"));
  const { fingerprint, serial, ...info } = certificateInfo(crtPem);
  deepStrictEqual(info, {
    organizations: ["os:admin", "os:reader"],
    commonName: "Jürgen",
    notBefore: new Date("2026-11-29T20:55:00Z"),
    notAfter: new Date("2026-11-30T21:00:00Z"),
    ips: ["10.5.0.2", "fd00::1"],
    dnsNames: ["node-1", "node-1.example.org"],
    isAuthority: false,
  });
  strictEqual(fingerprint.length, 44);
  strictEqual(serial.toUpperCase().padStart(32, "0"), certificate.serialNumber.padStart(32, "0"));
});

Deno.test("a changed certificate does not verify", () => {
  const { crtPem } = issueCertificate({
    authority,
    subject: { organization: "os:reader" },
    usage: "client",
    validSeconds: 60,
  });
  const bytes = decodePem(crtPem)[0]?.bytes.slice() ?? new Uint8Array();
  const at = new TextDecoder("latin1").decode(bytes).indexOf("os:reader");
  bytes.set(new TextEncoder().encode("os:admin "), at);
  const changed = new X509Certificate(encodePem("CERTIFICATE", bytes));
  strictEqual(changed.subject, "O=os:admin ");
  ok(!changed.verify(new X509Certificate(authority.crtPem).publicKey));
});

Deno.test("issueCertificate() refuses a key that is not the authority's", async () => {
  const other = await newAuthority({ organization: "talos", kind: "ed25519", years: 1 });
  const mixed = { crtPem: authority.crtPem, keyPem: other.keyPem };
  throws(() => issueCertificate({ authority: mixed, subject: {}, usage: "client", validSeconds: 60 }), TypeError);
  throws(
    () => issueCertificate({ authority, subject: {}, ips: ["10.5.0"], usage: "server", validSeconds: 60 }),
    SyntaxError,
  );
});

Deno.test("certificateInfo() refuses text without a certificate, and one byte short", () => {
  throws(() => certificateInfo("hello"), SyntaxError);
  const bytes = decodePem(authority.crtPem)[0]?.bytes ?? new Uint8Array();
  throws(() => certificateInfo(encodePem("CERTIFICATE", bytes.subarray(0, -1))), SyntaxError);
});

Deno.test("newRsaKey() makes a key of the wanted size", async () => {
  strictEqual((await newRsaKey(2048)).asymmetricKeyDetails?.modulusLength, 2048);
});

Deno.test("mutual TLS with issued certificates; a client without one is refused", async () => {
  const leaf = (organization: string, usage: "server" | "client", kind: "ed25519" | "ecdsa-p256") =>
    issueCertificate({
      authority,
      subject: { organization },
      ips: ["127.0.0.1"],
      dnsNames: ["localhost"],
      usage,
      validSeconds: 60,
      kind,
    });
  const tls = await import("node:tls");
  const server = leaf("apid", "server", "ed25519");
  const roles = Promise.withResolvers<string>();
  const listener = tls.createServer({
    cert: server.crtPem,
    key: parsePrivateKey(server.keyPem).export({ type: "pkcs8", format: "pem" }),
    ca: authority.crtPem,
    requestCert: true,
    rejectUnauthorized: true,
  }, (socket) => {
    roles.resolve(String(socket.getPeerCertificate().subject.O));
    socket.end("hello");
  });
  listener.on("tlsClientError", () => {}); // the refused client below
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  const port = (listener.address() as { port: number }).port;
  const talk = async (client?: { crtPem: string; keyPem: string }) => {
    const key = client &&
      { cert: client.crtPem, key: String(parsePrivateKey(client.keyPem).export({ type: "pkcs8", format: "pem" })) };
    using connection = await Deno.connectTls({ hostname: "localhost", port, caCerts: [authority.crtPem], ...key });
    return await new Response(connection.readable).text();
  };
  strictEqual(await talk(leaf("os:admin", "client", "ecdsa-p256")), "hello");
  strictEqual(await roles.promise, "os:admin");
  await rejects(talk());
  await new Promise((done) => listener.close(done));
});
