import { X509Certificate } from "node:crypto";
import { certificateInfo, decodePem, encodePem } from "../pki/mod.ts";
import { ApiError } from "./errors.ts";

/** Who is at the other end of a connection, as its verified certificate says. */
export interface Peer {
  /** Organizations of the certificate: the caller's roles. */
  readonly roles: ReadonlySet<string>;
  /** Milliseconds since 1970 after which the certificate opens nothing any more. */
  readonly validUntilMs: number;
}

/** Contents of the object identifier id-kp-clientAuth, RFC 5280 section 4.2.1.12. */
const CLIENT_AUTH = Uint8Array.of(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02);
/** Contents of the object identifier id-ce-extKeyUsage. */
const EXTENDED_KEY_USAGE = Uint8Array.of(0x55, 0x1d, 0x25);
/** `[3]`, which holds the extensions of a certificate, RFC 5280 section 4.1. */
const EXTENSIONS_TAG = 0xa3;
const NOTHING: Part = { tag: 0, contents: new Uint8Array() };

/** All certificates in these PEM texts. @throws {SyntaxError} when one is broken or a text holds none. */
export function authoritiesFrom(pems: readonly string[]): readonly X509Certificate[] {
  return pems.flatMap((pem) => {
    const blocks = decodePem(pem).filter(({ label }) => label === "CERTIFICATE");
    if (blocks.length === 0) {
      throw new SyntaxError("Cannot accept an authority: there is no certificate in its PEM text");
    }
    return blocks.map(({ bytes }) => {
      try {
        return new X509Certificate(encodePem("CERTIFICATE", bytes));
      } catch (cause) {
        throw new SyntaxError("Cannot accept an authority: its certificate is broken", { cause });
      }
    });
  });
}

/**
 * Checks a client certificate: signed by one of the authorities directly, within its time, made for clients only.
 * The TLS layer has proved that the other end holds its key; it has proved nothing else.
 * @param der undefined when the other end sent no certificate.
 * @throws {ApiError} UNAUTHENTICATED with the reason.
 */
export function verifyPeer(der: Uint8Array | undefined, authorities: readonly X509Certificate[], nowMs: number): Peer {
  if (der === undefined) throw refusal("the client sent no certificate; the API needs one, as in a talosconfig");
  const { certificate, info } = read(der);
  if (!authorities.some((authority) => isIssuer(authority, certificate, nowMs))) {
    throw refusal("the client's certificate is not signed by an authority that this node accepts");
  }
  if (nowMs < info.notBefore.getTime()) {
    throw refusal(`the client's certificate is valid from ${info.notBefore.toISOString()} on only; check both clocks`);
  }
  if (nowMs > info.notAfter.getTime()) {
    throw refusal(`the client's certificate expired at ${info.notAfter.toISOString()}`);
  }
  if (info.isAuthority || !isForClients(der)) {
    throw refusal("the client's certificate is not made for clients (extended key usage clientAuth alone)");
  }
  return { roles: new Set(info.organizations), validUntilMs: info.notAfter.getTime() };
}

function read(der: Uint8Array) {
  try {
    const pem = encodePem("CERTIFICATE", der);
    return { certificate: new X509Certificate(pem), info: certificateInfo(pem) };
  } catch {
    throw refusal("the client's certificate is broken"); // the parser's own words would tell a stranger nothing
  }
}

function isIssuer(authority: X509Certificate, certificate: X509Certificate, nowMs: number): boolean {
  return nowMs <= Date.parse(authority.validTo) && certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey);
}

/** Whether the extension that lists purposes is there and names clients alone: what a server shows is no client's. */
function isForClients(der: Uint8Array): boolean {
  const [certificate = NOTHING] = parts(der);
  const [toSign = NOTHING] = parts(certificate.contents);
  const list = parts(toSign.contents).find(({ tag }) => tag === EXTENSIONS_TAG) ?? NOTHING;
  for (const extension of parts((parts(list.contents)[0] ?? NOTHING).contents)) {
    const [id = NOTHING, ...rest] = parts(extension.contents);
    if (!isSame(id.contents, EXTENDED_KEY_USAGE)) continue;
    const [purposes = NOTHING] = parts((rest.at(-1) ?? NOTHING).contents);
    const [purpose = NOTHING, ...others] = parts(purposes.contents);
    return others.length === 0 && isSame(purpose.contents, CLIENT_AUTH);
  }
  return false;
}

interface Part {
  readonly tag: number;
  readonly contents: Uint8Array;
}

/** The DER values that follow one another; the parser of X.509 has accepted the certificate before, so it is whole. */
function parts(bytes: Uint8Array): Part[] {
  const found: Part[] = [];
  for (let at = 0; at + 1 < bytes.length;) {
    const first = bytes[at + 1] ?? 0;
    const octets = first < 0x80 ? 0 : first & 0x7f;
    let length = octets === 0 ? first : 0;
    for (let digit = 0; digit < octets; digit++) length = length * 256 + (bytes[at + 2 + digit] ?? 0);
    const start = at + 2 + octets;
    found.push({ tag: bytes[at] ?? 0, contents: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

function isSame(bytes: Uint8Array, wanted: Uint8Array): boolean {
  return bytes.length === wanted.length && wanted.every((octet, at) => bytes[at] === octet);
}

function refusal(reason: string): ApiError {
  return new ApiError("UNAUTHENTICATED", `Cannot admit the caller: ${reason}`);
}
