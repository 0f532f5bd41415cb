import type { MachineConfigDocuments } from "../config/mod.ts";
import { certificateInfo, isKeyOf, parsePrivateKey } from "../pki/mod.ts";

/**
 * Why the machine's API could not be served with the authority of a config; undefined when it can. Such a config would
 * leave a machine that nobody reaches after its next start.
 */
export function authorityProblem({ v1alpha1 }: MachineConfigDocuments): string | undefined {
  const { ca, acceptedCAs = [] } = v1alpha1?.machine ?? {};
  const { crt = "", key = "" } = ca ?? {};
  const certificates = [
    ["machine.ca.crt", crt],
    ...acceptedCAs.map(({ crt = "" }, at) => [`machine.acceptedCAs[${at}].crt`, crt]),
  ] as const;
  for (const [path = "", pem = ""] of certificates) {
    if (parsed(certificateInfo, pem) === undefined) return `${path} holds no certificate`;
  }
  if (key === "") return undefined; // a worker has none
  const privateKey = parsed(parsePrivateKey, key);
  if (privateKey === undefined) return "machine.ca.key holds no private key";
  return isKeyOf(privateKey, crt) ? undefined : "machine.ca.key is not the key of machine.ca.crt";
}

function parsed<T>(parse: (pem: string) => T, pem: string): T | undefined {
  try {
    return parse(pem);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
