import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject } from "node:crypto";

/** One block of PEM text. */
export interface PemBlock {
  /** What stands between `BEGIN` and the dashes, e.g. `CERTIFICATE`. */
  label: string;
  bytes: Uint8Array;
}

/** `bytes` as a PEM block with 64 characters a line. @see RFC 7468 */
export function encodePem(label: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return `-----BEGIN ${label}-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END ${label}-----\n`;
}

/** All PEM blocks in `text`, in order; what stands between them is skipped. */
export function decodePem(text: string): PemBlock[] {
  const blocks = text.matchAll(/-----BEGIN ([^-\n]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g);
  return [...blocks].map(([, label = "", base64 = ""]) => ({ label, bytes: Buffer.from(base64, "base64") }));
}

/** PEM text in the form that machine configs and talosconfig files hold: all of it once more in base64. */
export function toBase64Pem(pem: string): string {
  return Buffer.from(pem).toString("base64");
}

/**
 * PEM text from the form that machine configs and talosconfig files hold.
 * @throws {SyntaxError} not base64, or no PEM block in it.
 */
export function fromBase64Pem(base64: string): string {
  const pem = /^[A-Za-z0-9+/=\s]*$/.test(base64) ? Buffer.from(base64, "base64").toString() : "";
  if (!pem.includes("-----BEGIN ")) throw new SyntaxError("Cannot read a base64 value: it holds no PEM block");
  return pem;
}

/**
 * The first private key in `pem`: PKCS #8 under `PRIVATE KEY` or under `ED25519 PRIVATE KEY`, as Talos labels it, SEC1
 * under `EC PRIVATE KEY`, PKCS #1 under `RSA PRIVATE KEY`.
 * @throws {SyntaxError} no such block, or its bytes are not a key.
 */
export function parsePrivateKey(pem: string): KeyObject {
  const block = decodePem(pem).find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) throw new SyntaxError("Cannot read a private key: no PEM block of one");
  const type = ({ "EC PRIVATE KEY": "sec1", "RSA PRIVATE KEY": "pkcs1" } as const)[block.label] ?? "pkcs8";
  try {
    return createPrivateKey({ key: Buffer.from(block.bytes), format: "der", type });
  } catch (cause) {
    throw new SyntaxError(`Cannot read a private key: the ${block.label} block is broken`, { cause });
  }
}

/** A private key in the PEM form and under the label that Talos uses for its kind. */
export function formatPrivateKey(key: KeyObject): string {
  if (key.asymmetricKeyType === "ec") return encodePem("EC PRIVATE KEY", key.export({ type: "sec1", format: "der" }));
  if (key.asymmetricKeyType === "rsa") {
    return encodePem("RSA PRIVATE KEY", key.export({ type: "pkcs1", format: "der" }));
  }
  return encodePem("ED25519 PRIVATE KEY", key.export({ type: "pkcs8", format: "der" }));
}

/** A private key as PKCS #8 under `PRIVATE KEY`: the form that every TLS library takes. */
export function formatPrivateKeyPkcs8(key: KeyObject): string {
  return encodePem("PRIVATE KEY", key.export({ type: "pkcs8", format: "der" }));
}
