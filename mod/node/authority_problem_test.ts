import { strictEqual } from "node:assert/strict";
import { decodeConfig } from "../config/mod.ts";
import { type CertificateAndKey, newAuthority } from "../pki/mod.ts";
import { authorityProblem } from "./authority_problem.ts";

type Whose = "own" | "other" | "nobody";
const rows: readonly { crt: Whose; key?: Whose; accepted?: Whose; problem?: string }[] = [
  { crt: "own", key: "own" },
  { crt: "own" }, // as a worker has it
  { crt: "own", accepted: "other" },
  { crt: "nobody", key: "own", problem: "machine.ca.crt holds no certificate" },
  { crt: "own", key: "nobody", problem: "machine.ca.key holds no private key" },
  { crt: "own", key: "other", problem: "machine.ca.key is not the key of machine.ca.crt" },
  { crt: "own", accepted: "nobody", problem: "machine.acceptedCAs[0].crt holds no certificate" },
];
for (const { crt, key, accepted, problem } of rows) {
  Deno.test(`authorityProblem() of ${crt} with key ${key}, and ${accepted} accepted`, async () => {
    const authority = () => newAuthority({ organization: "talos", kind: "ed25519", years: 1 });
    const nobody = { crtPem: "no PEM", keyPem: "no PEM" };
    const all: Record<Whose, CertificateAndKey> = { own: await authority(), other: await authority(), nobody };
    const keyText = key === undefined ? "" : `, key: ${btoa(all[key].keyPem)}`;
    const acceptedText = accepted === undefined ? "" : `\n  acceptedCAs: [{crt: ${btoa(all[accepted].crtPem)}}]`;
    const config = decodeConfig(`machine:\n  ca: {crt: ${btoa(all[crt].crtPem)}${keyText}}${acceptedText}\n`);
    strictEqual(authorityProblem(config), problem);
  });
}
