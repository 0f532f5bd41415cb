import type { ApiError } from "../api/mod.ts";
import { certificateInfo } from "../pki/mod.ts";
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
const HINTS: readonly (readonly [pattern: RegExp, hint: (call: Call) => string])[] = [
  [/ECONNREFUSED/, () => "nothing listens there: check that the node is up and that the endpoint is right"],
  [/EHOSTUNREACH|ENETUNREACH/, () => "there is no way to it: check the address and your network"],
  [/ETIMEDOUT|Timed out/i, () => "it does not answer: check the address, and firewalls in between"],
  [/ENOTFOUND|EAI_AGAIN|[Nn]ame resolution/, () => "the name is not known: check its spelling, or use an address"],
  [
    /ECONNRESET|socket hang up|disconnected before secure/,
    () => "it hung up: is the node still starting, and is this the port of its API?",
  ],
  [/wrong.version.number|InvalidContentType|corrupt message/i, () => "no TLS is spoken there: check the port"],
  [
    /certificate (?:has )?expired|CERT_HAS_EXPIRED/i,
    () => "the node's certificate has expired: check the clocks of both machines",
  ],
  [/not yet valid|NotValidYet/i, () => "the node's certificate is not valid yet: check the clocks of both machines"],
  [
    /unable to (?:verify|get local issuer)|self.signed|UnknownIssuer|signature failure|BadSignature|invalid peer certificate/i,
    ({ connection }) =>
      `the node's certificate is not signed by the authority of context "${connection.contextName}" in ${connection.path}: is it the file of another cluster?`,
  ],
];

/** One line that says what failed, on which node, why, and what to check. */
export function callFailure(error: ApiError, call: Call): CallError {
  const { node, doing, connection } = call;
  const reason = error.message === "" ? `the answer was ${error.code}` : error.message.replace(/^Cannot /, "cannot ");
  return new CallError(node, `Cannot ${doing} ${node}: ${reason}${advice(error, call)}`, { cause: error });

  function advice({ code, message }: ApiError, call: Call): string {
    if (code === "UNAUTHENTICATED") return ` (${certificateAdvice(connection)})`;
    if (code === "PERMISSION_DENIED") return ` (as ${rolesText(connection)})`;
    if (code === "DEADLINE_EXCEEDED") return " (the node took too long; is it busy, or unreachable?)";
    const [, hint] = HINTS.find(([pattern]) => code === "UNAVAILABLE" && pattern.test(message)) ?? [];
    return hint === undefined ? "" : ` (${hint(call)})`;
  }
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
