import type { ApiError } from "../api/mod.ts";
import { certificateInfo } from "../pki/mod.ts";
import { certificateProblem, serverCertificate } from "./server_certificate.ts";
import type { Connection } from "./talosconfig.ts";

/** A call to a node that failed, in words for the user. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly node: string;

  constructor(node: string, message: string, options: ErrorOptions) {
    super(message, options);
    this.node = node;
  }
}

/** Where a call went, and what for. */
export interface Call {
  readonly node: string;
  /** Stands between "Cannot" and the node, as in `get links from`. */
  readonly doing: string;
  readonly connection: Connection;
}

/** What the transport says, and what a user can do about it. */
const HINTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/ECONNREFUSED/, "nothing listens there: check that the node is up and that the endpoint is right"],
  [/EHOSTUNREACH|ENETUNREACH/, "there is no way to it: check the address and your network"],
  [/ETIMEDOUT|Timed out/i, "it does not answer: check the address, and firewalls in between"],
  [/ENOTFOUND|EAI_AGAIN|[Nn]ame resolution/, "the name is not known: check its spelling, or use an address"],
  [
    /ECONNRESET|socket hang up|disconnected before secure/,
    "it hung up: is the node still starting, and is this the port of its API?",
  ],
  [/Connection dropped/, "the connection broke: did the node go down, or the network in between?"],
  [/wrong.version.number|InvalidContentType|corrupt message/i, "no TLS is spoken there: check the port"],
];

/** TLS libraries say little more than that they do not believe a certificate. */
const DISBELIEF = /"([^"]+)": (?:unable to|self.signed|invalid peer certificate|certificate|CERT_|.*UnknownIssuer)/i;

/** One line that says what failed, on which node, why, and what to check. */
export async function callFailure(error: ApiError, call: Call): Promise<CallError> {
  const { node, doing } = call;
  const reason = error.message === "" ? `the answer was ${error.code}` : error.message.replace(/^Cannot /, "cannot ");
  const hint = await advice(error, call.connection);
  const message = `Cannot ${doing} ${node}: ${reason}${hint === undefined ? "" : ` (${hint})`}`;
  return new CallError(node, message, { cause: error });
}

async function advice({ code, message }: ApiError, connection: Connection): Promise<string | undefined> {
  switch (code) {
    case "UNAUTHENTICATED":
      return certificateAdvice(connection);
    case "PERMISSION_DENIED":
      return `as ${rolesText(connection)}`;
    case "DEADLINE_EXCEEDED":
      return "the node took too long: is it busy, or unreachable?";
    case "UNAVAILABLE": {
      const [, endpoint] = DISBELIEF.exec(message) ?? [];
      if (endpoint !== undefined) return await disbeliefAdvice(endpoint, connection);
      return HINTS.find(([pattern]) => pattern.test(message))?.[1];
    }
    default:
      return undefined;
  }
}

/** Looks at the node's certificate once more, to say what is wrong with it. */
async function disbeliefAdvice(endpoint: string, { contextName, path, credentials }: Connection): Promise<string> {
  const certificate = await serverCertificate(endpoint);
  const problem = certificate && certificateProblem(certificate, credentials.caPem, Date.now());
  const context = `context "${contextName}" in ${path}`;
  if (problem === undefined) return `the node's certificate does not fit the authority of ${context}`;
  if (problem !== "foreign") return `the node's certificate ${problem}`;
  return `the node's certificate is not signed by the authority of ${context}: is it the file of another cluster?`;
}

function certificateAdvice(connection: Connection): string {
  const { notAfter } = certificateInfo(connection.credentials.crtPem);
  const where = `context "${connection.contextName}" in ${connection.path}`;
  if (notAfter.getTime() < Date.now()) return `the certificate of ${where} expired on ${notAfter.toISOString()}`;
  return `the certificate is that of ${where}`;
}

function rolesText(connection: Connection): string {
  const { organizations } = certificateInfo(connection.credentials.crtPem);
  const roles = organizations.length === 0 ? "no role" : organizations.join(", ");
  return `${roles}, by context "${connection.contextName}" in ${connection.path}`;
}
