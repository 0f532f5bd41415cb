import { match, ok, strictEqual } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { ApiError, type CodeName } from "../api/mod.ts";
import { issueCertificate, newAuthority } from "../pki/mod.ts";
import { callFailure } from "./call_failure.ts";
import { certificateProblem } from "./server_certificate.ts";

const authority = () => newAuthority({ organization: "talos", kind: "ed25519", years: 1 });

/** What a user is told of an error, by a context whose certificate is valid for so long. */
async function told(code: CodeName, message: string, validSeconds = 60): Promise<string> {
  const ca = await authority();
  const subject = { organization: ["os:reader"] };
  const { crtPem, keyPem } = issueCertificate({ authority: ca, subject, usage: "client", validSeconds });
  const credentials = { caPem: ca.crtPem, crtPem, keyPem };
  const connection = { path: "/t", contextName: "demo", endpoints: ["10.5.0.2"], nodes: [], credentials };
  const error = new ApiError(code, message);
  const failure = await callFailure(error, { node: "10.5.0.2", doing: "get links from", connection });
  strictEqual(failure.node, "10.5.0.2");
  strictEqual(failure.cause, error);
  return failure.message;
}

const connect = 'Cannot connect to "10.5.0.2:50000"';
const rows: readonly [code: CodeName, message: string, told: RegExp][] = [
  ["NOT_FOUND", "Cannot find it: x", /^Cannot get links from 10\.5\.0\.2: cannot find it: x$/],
  ["UNKNOWN", "", /^Cannot get links from 10\.5\.0\.2: the answer was UNKNOWN$/],
  ["UNIMPLEMENTED", "no such method", /: no such method$/],
  ["PERMISSION_DENIED", "no", /\(as os:reader, by context "demo" in \/t\)$/],
  ["DEADLINE_EXCEEDED", "late", /late \(the node took too long/],
  ["UNAVAILABLE", `${connect}: connect ECONNREFUSED 10.5.0.2:50000`, /ECONNREFUSED.*\(nothing listens there/],
  ["UNAVAILABLE", `${connect}: connect EHOSTUNREACH`, /no way to it/],
  ["UNAVAILABLE", `${connect}: getaddrinfo ENOTFOUND x`, /the name is not known/],
  ["UNAVAILABLE", "Connection dropped", /\(the connection broke/],
  [
    "UNAVAILABLE",
    'Cannot connect to "127.0.0.1:1": unable to verify',
    /\(the node's certificate does not fit.*"demo" in \/t\)/,
  ],
  ["UNAVAILABLE", "something else", /: something else$/],
  ["UNAUTHENTICATED", "no", /\(the certificate is that of context "demo" in \/t\)$/],
];
for (const [code, message, expected] of rows) {
  Deno.test(`callFailure() ${code} ${message}`, async () => {
    const text = await told(code, message);
    match(text, expected);
    ok(!text.includes("\n"));
  });
}

Deno.test("callFailure() tells that the own certificate has expired", async () => {
  match(await told("UNAUTHENTICATED", "no", -60), /certificate of context "demo" in \/t expired on 20\d\d-/);
});

Deno.test("certificateProblem() tells foreign, expired and future certificates apart", async () => {
  const [ca, other] = [await authority(), await authority()];
  const issue = (validSeconds: number) =>
    new X509Certificate(issueCertificate({ authority: ca, subject: {}, usage: "server", validSeconds }).crtPem);
  const now = Date.now();
  strictEqual(certificateProblem(issue(60), ca.crtPem, now), undefined);
  strictEqual(certificateProblem(issue(60), other.crtPem, now), "foreign");
  match(certificateProblem(issue(-60), ca.crtPem, now) ?? "", /^expired at /);
  match(certificateProblem(issue(60), ca.crtPem, 0) ?? "", /^is valid from .* on only/);
});
