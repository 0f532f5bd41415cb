import { randomBytes, randomInt } from "node:crypto";
import { newAuthority, newRsaKey, type RsaBits } from "./certificate.ts";
import { formatPrivateKey, toBase64Pem } from "./pem.ts";

/** A certificate and its key in the form of machine configs: PEM text once more in base64. */
export interface Base64Pair {
  crt: string;
  key: string;
}

/**
 * All that a cluster keeps secret, in the shape and with the names of the file that `gen secrets` writes. Configs made
 * from one bundle belong to one cluster.
 */
export interface SecretsBundle {
  /** Identity in discovery: two times 32 random bytes in base64. */
  cluster: { id: string; secret: string };
  secrets: {
    /** Kubernetes bootstrap token, `xxxxxx.xxxxxxxxxxxxxxxx`. */
    bootstraptoken: string;
    /** 32 random bytes in base64. */
    secretboxencryptionsecret: string;
    /** Only in bundles of old clusters, which used another cipher. */
    aescbcencryptionsecret?: string | undefined;
  };
  /** The token with which a worker asks for its certificate, in the form of a bootstrap token. */
  trustdinfo: { token: string };
  certs: {
    etcd: Base64Pair;
    k8s: Base64Pair;
    k8saggregator: Base64Pair;
    /** The key that signs service account tokens; it has no certificate. */
    k8sserviceaccount: { key: string };
    /** The authority of the machine API. */
    os: Base64Pair;
  };
}

/** A secrets bundle that cannot be used. */
export class SecretsBundleError extends Error {
  override readonly name = "SecretsBundleError";
  /** Keys from the top to the bad value, joined by dots; empty for the whole text. */
  readonly field: string;

  constructor(field: string, state: string, options?: ErrorOptions) {
    super(`Cannot read the secrets bundle: ${field === "" ? "" : `"${field}" `}${state}`, options);
    this.field = field;
  }
}

const AUTHORITY_YEARS = 10;

/** What {@linkcode newSecretsBundle} makes. */
export interface SecretsOptions {
  /** Default: the present time. */
  now?: Date;
  /** Size of the key for service accounts. Default 4096; 2048 is for a cluster that has to be there at once. */
  rsaBits?: RsaBits;
}

/** New secrets for a new cluster. Nearly all of the time goes into the RSA key, see {@linkcode newRsaKey}. */
export async function newSecretsBundle(options: SecretsOptions = {}): Promise<SecretsBundle> {
  const { now = new Date(), rsaBits = 4096 } = options;
  const years = AUTHORITY_YEARS;
  const [etcd, k8s, k8saggregator, os, serviceAccountKey] = await Promise.all([
    newAuthority({ organization: "etcd", kind: "ecdsa-p256", years, now }),
    newAuthority({ organization: "kubernetes", kind: "ecdsa-p256", years, now }),
    newAuthority({ kind: "ecdsa-p256", years, now }),
    newAuthority({ organization: "talos", kind: "ed25519", years, now }),
    newRsaKey(rsaBits),
  ]);
  const pair = ({ crtPem, keyPem }: { crtPem: string; keyPem: string }) => ({
    crt: toBase64Pem(crtPem),
    key: toBase64Pem(keyPem),
  });
  return {
    cluster: { id: secret32(), secret: secret32() },
    secrets: { bootstraptoken: newToken(), secretboxencryptionsecret: secret32() },
    trustdinfo: { token: newToken() },
    certs: {
      etcd: pair(etcd),
      k8s: pair(k8s),
      k8saggregator: pair(k8saggregator),
      k8sserviceaccount: { key: toBase64Pem(formatPrivateKey(serviceAccountKey)) },
      os: pair(os),
    },
  };
}

/** A random token `xxxxxx.xxxxxxxxxxxxxxxx` of lower-case letters and digits (113 bits). */
export function newToken(): string {
  const letters = Array.from({ length: 22 }, () => randomInt(36).toString(36)).join("");
  return `${letters.slice(0, 6)}.${letters.slice(6)}`;
}

function secret32(): string {
  return randomBytes(32).toString("base64");
}

/** The bundle as the YAML file that `gen secrets` writes. */
export async function formatSecretsBundle(bundle: SecretsBundle): Promise<string> {
  const { stringify } = await import("@std/yaml");
  return stringify(bundle, { indent: 4, lineWidth: -1, skipInvalid: true });
}

/**
 * The bundle in the YAML text of a secrets file; every key and certificate in it has been parsed once.
 * @throws {SecretsBundleError} not YAML, a field is missing, unknown or malformed.
 */
export async function parseSecretsBundle(text: string): Promise<SecretsBundle> {
  const [{ parse }, { secretsSchema }] = await Promise.all([import("@std/yaml"), import("./secrets_schema.ts")]);
  let value: unknown;
  try {
    value = parse(text, { schema: "core" });
  } catch (cause) {
    throw new SecretsBundleError("", "is not YAML", { cause });
  }
  const result = secretsSchema().safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(String) ?? [];
  if (issue?.code === "unrecognized_keys") {
    throw new SecretsBundleError([...path, ...issue.keys].join("."), "is unknown");
  }
  if (issue?.code === "invalid_type") throw new SecretsBundleError(path.join("."), `is not a ${issue.expected}`);
  throw new SecretsBundleError(path.join("."), issue?.message ?? "is malformed");
}
