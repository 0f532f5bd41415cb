import { Buffer } from "node:buffer";
import { optional, refine, regex, strictObject, string } from "zod/mini";
import { certificateInfo } from "./certificate_info.ts";
import { fromBase64Pem, parsePrivateKey } from "./pem.ts";

/** Reads a secrets bundle; in a module of its own, imported when a file is read, for the sake of size and start. */
export function secretsSchema() {
  const secret = string().check(refine((base64) => Buffer.from(base64, "base64").length === 32, "is not 32 bytes"));
  const token = string().check(regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/, "is not of the form xxxxxx.xxxxxxxxxxxxxxxx"));
  const key = string().check(refine(isKey, "holds no private key"));
  const pair = strictObject({ crt: string().check(refine(isCertificate, "holds no certificate")), key });
  return strictObject({
    cluster: strictObject({ id: secret, secret }),
    secrets: strictObject({
      bootstraptoken: token,
      secretboxencryptionsecret: secret,
      aescbcencryptionsecret: optional(string()),
    }),
    trustdinfo: strictObject({ token }),
    certs: strictObject({
      etcd: pair,
      k8s: pair,
      k8saggregator: pair,
      k8sserviceaccount: strictObject({ key }),
      os: pair,
    }),
  });
}

function isKey(base64: string): boolean {
  return isReadable(() => parsePrivateKey(fromBase64Pem(base64)));
}

function isCertificate(base64: string): boolean {
  return isReadable(() => certificateInfo(fromBase64Pem(base64)));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
