import { createHash } from "node:crypto";
import { formatAddress } from "../netip/mod.ts";
import { type DerValue, oidText, readDer, TAG, timeOf } from "./der.ts";
import { decodePem } from "./pem.ts";

/** What a certificate says, in the words of this project. */
export interface CertificateInfo {
  organizations: string[];
  commonName: string | undefined;
  /** Lower-case hexadecimal digits without separators. */
  serial: string;
  notBefore: Date;
  notAfter: Date;
  ips: string[];
  dnsNames: string[];
  isAuthority: boolean;
  /** Base64 of the SHA-256 of the public key (SubjectPublicKeyInfo): what `--cert-fingerprint` takes. */
  fingerprint: string;
}

/** The pieces of a certificate as DER, for signing and comparing. */
export interface CertificateParts {
  serial: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  /** The whole Name, as another certificate must repeat it to name this one as its issuer. */
  subject: Uint8Array;
  /** The whole SubjectPublicKeyInfo. */
  spki: Uint8Array;
  /** Contents of the SubjectKeyIdentifier extension. */
  keyIdentifier: Uint8Array | undefined;
  /** Extension values by dotted object identifier. */
  extensions: Map<string, Uint8Array>;
}

/**
 * The pieces of the first certificate in `pem`.
 * @throws {SyntaxError} no certificate, or its DER text is malformed.
 * @see RFC 5280 section 4.1
 */
export function certificateParts(pem: string): CertificateParts {
  const block = decodePem(pem).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined) throw new SyntaxError("Cannot read a certificate: no PEM block of one");
  const [toSign] = children(readDer(block.bytes)[0]);
  const fields = children(toSign).filter(({ tag }) => tag !== 0xa0 && tag !== 0x81 && tag !== 0x82);
  const [serial, , , validity, subject, spki, extensionList] = fields;
  const [notBefore, notAfter] = children(validity);
  if (serial === undefined || subject === undefined || spki === undefined || !notBefore || !notAfter) {
    throw new SyntaxError("Cannot read a certificate: fields are missing");
  }
  const extensions = new Map<string, Uint8Array>();
  if (extensionList?.tag === 0xa3) {
    for (const extension of children(children(extensionList)[0])) {
      const [id, ...rest] = children(extension);
      const value = rest.at(-1);
      if (id !== undefined && value !== undefined) extensions.set(oidText(id.contents), value.contents);
    }
  }
  const keyIdentifier = extensions.get("2.5.29.14");
  return {
    serial: serial.contents,
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    subject: subject.bytes,
    spki: spki.bytes,
    keyIdentifier: keyIdentifier && readDer(keyIdentifier)[0]?.contents,
    extensions,
  };
}

function children(value: DerValue | undefined): DerValue[] {
  if (value === undefined) throw new SyntaxError("Cannot read a certificate: it is cut short");
  return readDer(value.contents);
}

/**
 * What the first certificate in `pem` says.
 * @throws {SyntaxError} no certificate, or its DER text is malformed.
 */
export function certificateInfo(pem: string): CertificateInfo {
  const parts = certificateParts(pem);
  const names = subjectAttributes(parts.subject);
  const alternatives = extensionValues(parts, "2.5.29.17");
  return {
    organizations: names.filter(({ id }) => id === "2.5.4.10").map(({ text }) => text),
    commonName: names.find(({ id }) => id === "2.5.4.3")?.text,
    serial: [...parts.serial].map((octet) => octet.toString(16).padStart(2, "0")).join("").replace(/^00/, ""),
    notBefore: parts.notBefore,
    notAfter: parts.notAfter,
    ips: alternatives.filter(({ tag }) => tag === 0x87).map(({ contents }) => formatAddress(contents)),
    dnsNames: alternatives.filter(({ tag }) => tag === 0x82).map(({ contents }) => text(contents)),
    isAuthority: extensionValues(parts, "2.5.29.19").some(({ tag, contents }) =>
      tag === TAG.boolean && contents[0] !== 0
    ),
    fingerprint: createHash("sha256").update(parts.spki).digest("base64"),
  };
}

function extensionValues(parts: CertificateParts, id: string): DerValue[] {
  const value = parts.extensions.get(id);
  return value === undefined ? [] : children(readDer(value)[0]);
}

function subjectAttributes(name: Uint8Array): { id: string; text: string }[] {
  return children(readDer(name)[0]).flatMap(children).flatMap((attribute) => {
    const [id, value] = children(attribute);
    return id && value ? [{ id: oidText(id.contents), text: text(value.contents) }] : [];
  });
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
