import { Buffer } from "node:buffer";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { parseAddress } from "../netip/mod.ts";
import { certificateParts } from "./certificate_info.ts";
import { bitString, der, directoryString, oid, readDer, sequence, TAG, time, unsigned } from "./der.ts";
import { encodePem, formatPrivateKey, parsePrivateKey } from "./pem.ts";

/** A certificate and the private key that belongs to it, as PEM text. */
export interface CertificateAndKey {
  crtPem: string;
  keyPem: string;
}

/** Who a certificate speaks for. In the machine API each organization is a role. */
export interface Subject {
  organization?: string | readonly string[];
  commonName?: string;
}

/** Which key is made: Ed25519 for the machine API, ECDSA P-256 for Kubernetes and etcd, RSA of 4096 bits. */
export type KeyKind = "ed25519" | "ecdsa-p256" | "rsa";

/** What {@linkcode newAuthority} makes. */
export interface AuthorityOptions {
  /** Left out, the subject is empty, as in the aggregator's authority. */
  organization?: string;
  kind: KeyKind;
  years: number;
  /** Default: the present time. */
  now?: Date;
}

/** What {@linkcode issueCertificate} makes. */
export interface LeafOptions {
  authority: CertificateAndKey;
  subject: Subject;
  /** Addresses without prefix length. */
  ips?: readonly string[];
  dnsNames?: readonly string[];
  usage: "server" | "client" | "both";
  validSeconds: number;
  /** How far validity starts in the past, for clocks that differ. Default 300. */
  backdateSeconds?: number;
  /** Default `ed25519`. */
  kind?: Exclude<KeyKind, "rsa">;
  /** Default: the present time. */
  now?: Date;
}

const BACKDATE_SECONDS = 300;
const USAGES = {
  server: ["1.3.6.1.5.5.7.3.1"],
  client: ["1.3.6.1.5.5.7.3.2"],
  both: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
} as const;
/** Bits of KeyUsage, first octet. @see RFC 5280 section 4.2.1.3 */
const KEY_USAGE = { digitalSignature: 0x80, keyEncipherment: 0x20, certSign: 0x04 } as const;

/** A self-signed certificate that may sign others, and its key. */
export async function newAuthority(options: AuthorityOptions): Promise<CertificateAndKey> {
  const now = options.now ?? new Date();
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + options.years);
  const key = options.kind === "rsa" ? await newRsaKey() : newPrivateKey(options.kind);
  const spki = publicKeyDer(key);
  const subject = nameDer(options.organization === undefined ? {} : { organization: options.organization });
  const crtPem = signedCertificate(key, {
    issuer: subject,
    notBefore: new Date(now.getTime() - BACKDATE_SECONDS * 1000),
    notAfter,
    subject,
    spki,
    extensions: [
      keyUsage(KEY_USAGE.digitalSignature | KEY_USAGE.certSign),
      extendedKeyUsage(USAGES.both),
      extension("2.5.29.19", sequence(der(TAG.boolean, Uint8Array.of(0xff))), "critical"),
      extension("2.5.29.14", der(TAG.octetString, keyIdentifier(spki))),
    ],
  });
  return { crtPem, keyPem: formatPrivateKey(key) };
}

/**
 * A certificate signed by `authority`, with a key of its own.
 * @throws {SyntaxError} the authority's PEM text or an address is malformed.
 * @throws {TypeError} the authority's key does not belong to its certificate.
 */
export function issueCertificate(options: LeafOptions): CertificateAndKey {
  const key = newPrivateKey(options.kind ?? "ed25519");
  return { crtPem: issueFor(publicKeyDer(key), options), keyPem: formatPrivateKey(key) };
}

/**
 * PEM text of a certificate signed by `authority` for the public key in `spki` (DER), which another machine holds the
 * private half of. Throws as {@linkcode issueCertificate} does.
 */
export function issueFor(spki: Uint8Array, options: Omit<LeafOptions, "kind">): string {
  const { authority, backdateSeconds = BACKDATE_SECONDS, now = new Date() } = options;
  const issuer = certificateParts(authority.crtPem);
  const issuerKey = parsePrivateKey(authority.keyPem);
  if (Buffer.compare(publicKeyDer(issuerKey), issuer.spki) !== 0) {
    throw new TypeError("Cannot sign a certificate: the authority's key does not belong to its certificate");
  }
  const isRsa = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" }).asymmetricKeyType === "rsa";
  const extensions = [
    keyUsage(KEY_USAGE.digitalSignature | (isRsa ? KEY_USAGE.keyEncipherment : 0)),
    extendedKeyUsage(USAGES[options.usage]),
    extension("2.5.29.35", sequence(der(0x80, issuer.keyIdentifier ?? keyIdentifier(issuer.spki)))),
  ];
  const names = alternativeNames(options.ips ?? [], options.dnsNames ?? []);
  const subject = nameDer(options.subject);
  // With an empty subject the names here are all there is: RFC 5280 section 4.2.1.6 wants them critical then.
  const importance = subject.length === 2 ? "critical" : "plain";
  if (names.length > 0) extensions.push(extension("2.5.29.17", sequence(...names), importance));
  return signedCertificate(issuerKey, {
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - backdateSeconds * 1000),
    notAfter: new Date(now.getTime() + options.validSeconds * 1000),
    subject,
    spki,
    extensions,
  });
}

/** A new private key. */
export function newPrivateKey(kind: Exclude<KeyKind, "rsa">): KeyObject {
  if (kind === "ed25519") return generateKeyPairSync("ed25519").privateKey;
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** Sizes of RSA keys. */
export type RsaBits = 2048 | 4096;

/**
 * A new RSA key. With 4096 bits it takes 0.5 to 5 s, with 2048 less than 0.3 s, off the main thread; `node:crypto`
 * takes twice as long.
 */
export async function newRsaKey(bits: RsaBits = 4096): Promise<KeyObject> {
  const pair = await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", modulusLength: bits, publicExponent: Uint8Array.of(1, 0, 1), hash: "SHA-256" },
    true,
    ["sign", "verify"],
  );
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  return createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
}

/** What is signed, as DER but for the two dates. */
interface Unsigned {
  issuer: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  subject: Uint8Array;
  spki: Uint8Array;
  extensions: Uint8Array[];
}

/** PEM text of a version 3 certificate with a random serial number of 128 bits. @see RFC 5280 section 4.1 */
function signedCertificate(issuerKey: KeyObject, certificate: Unsigned): string {
  const { hash, algorithm } = signatureAlgorithm(issuerKey);
  const toSign = sequence(
    der(0xa0, der(TAG.integer, Uint8Array.of(2))),
    unsigned(randomBytes(16)),
    algorithm,
    certificate.issuer,
    sequence(time(certificate.notBefore), time(certificate.notAfter)),
    certificate.subject,
    certificate.spki,
    der(0xa3, sequence(...certificate.extensions)),
  );
  const signature = sign(hash, Buffer.from(toSign), issuerKey);
  return encodePem("CERTIFICATE", sequence(toSign, algorithm, bitString(signature)));
}

function signatureAlgorithm(key: KeyObject): { hash: "sha256" | null; algorithm: Uint8Array } {
  if (key.asymmetricKeyType === "ed25519") return { hash: null, algorithm: sequence(oid("1.3.101.112")) };
  if (key.asymmetricKeyType === "ec") return { hash: "sha256", algorithm: sequence(oid("1.2.840.10045.4.3.2")) };
  if (key.asymmetricKeyType === "rsa") {
    return { hash: "sha256", algorithm: sequence(oid("1.2.840.113549.1.1.11"), der(TAG.null)) };
  }
  throw new TypeError(`Cannot sign a certificate: keys of type "${key.asymmetricKeyType}" are not supported`);
}

/** Whether a private key is the one that a certificate was issued for. @throws {SyntaxError} the certificate is malformed. */
export function isKeyOf(privateKey: KeyObject, crtPem: string): boolean {
  return Buffer.compare(publicKeyDer(privateKey), certificateParts(crtPem).spki) === 0;
}

function publicKeyDer(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ type: "spki", format: "der" });
}

/** SHA-1 of the key's bits, the contents of the BIT STRING in `spki`. @see RFC 5280 section 4.2.1.2, method 1 */
function keyIdentifier(spki: Uint8Array): Uint8Array {
  const [, bits] = readDer(readDer(spki)[0]?.contents ?? spki);
  const publicKeyBits = (bits?.contents ?? spki).subarray(1); // the first octet counts unused bits
  return createHash("sha1").update(publicKeyBits).digest();
}

function nameDer({ organization = [], commonName }: Subject): Uint8Array {
  const organizations = typeof organization === "string" ? [organization] : organization;
  const attribute = (type: string, text: string) => der(TAG.set, sequence(oid(type), directoryString(text)));
  const parts = organizations.map((text) => attribute("2.5.4.10", text));
  if (commonName !== undefined) parts.push(attribute("2.5.4.3", commonName));
  return sequence(...parts);
}

function alternativeNames(ips: readonly string[], dnsNames: readonly string[]): Uint8Array[] {
  return [
    ...dnsNames.map((name) => der(0x82, new TextEncoder().encode(name))),
    ...ips.map((ip) => der(0x87, parseAddress(ip))),
  ];
}

function keyUsage(bits: number): Uint8Array {
  const unusedBits = 31 - Math.clz32(bits & -bits);
  return extension("2.5.29.15", bitString(Uint8Array.of(bits), unusedBits), "critical");
}

function extendedKeyUsage(purposes: readonly string[]): Uint8Array {
  return extension("2.5.29.37", sequence(...purposes.map(oid)));
}

function extension(id: string, value: Uint8Array, importance: "critical" | "plain" = "plain"): Uint8Array {
  const critical = importance === "critical" ? [der(TAG.boolean, Uint8Array.of(0xff))] : [];
  return sequence(oid(id), ...critical, der(TAG.octetString, value));
}
