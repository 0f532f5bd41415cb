import { parseAddress, parsePrefix } from "../netip/mod.ts";
import { type CelEnvironment, checkCel } from "./cel.ts";
import type { Place } from "./place.ts";

/** Longest name of a link, IFNAMSIZ - 1 bytes, and of an alternative name, ALTIFNAMSIZ - 1. */
const MAX_LINK_NAME = 15;
const MAX_LINK_ALIAS = 127;

function isParsed(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Whether a text is an IP address of either family. */
export function isAddress(text: string): boolean {
  return isParsed(parseAddress, text);
}

/** Whether a text is CIDR text of either family. */
export function isPrefix(text: string): boolean {
  return isParsed(parsePrefix, text);
}

/** Whether a text is `host:port` or `[address]:port`. */
export function isHostPort(text: string): boolean {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:\s/]+):(\d{1,5})$/.exec(text);
  return match !== null && Number(match[2]) >= 1 && Number(match[2]) <= 65_535;
}

/** Reports an address that is none. */
export function checkAddress(place: Place): void {
  if (!isAddress(place.text)) place.error(`expected an IP address such as 10.0.0.5, found ${quoted(place)}`);
}

/** Reports a prefix that is none. */
export function checkPrefix(place: Place): void {
  if (!isPrefix(place.text)) place.error(`expected a CIDR prefix such as 10.0.0.0/8, found ${quoted(place)}`);
}

/** Reports addresses of one link that stand there twice; IPv6 has no address with two lengths. */
export function checkAddressesOnce(addresses: readonly Place[]): void {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const [ip = ""] = address.text.split("/", 1), other = seen.get(ip);
    if (other === address.text) address.warn("the address stands here twice");
    else if (other !== undefined && ip.includes(":")) {
      address.error(`IPv6 has an address once: ${other} stands here too`);
    }
    seen.set(ip, address.text);
  }
}

/** Reports an endpoint without a port. */
export function checkHostPort(place: Place): void {
  if (place.text !== "" && !isHostPort(place.text)) {
    place.error(`expected a host and a port such as 10.0.0.1:5140, found ${quoted(place)}`);
  }
}

/** Reports a URL that is none or has another scheme. */
export function checkUrl(place: Place, ...schemes: readonly string[]): void {
  if (place.text === "") return;
  const url = URL.parse(place.text);
  const known = schemes.map((scheme) => `${scheme}://`).join(" or ");
  if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
    place.error(`expected a URL that starts with ${known}`);
  } else if (url.hostname === "") place.error("the URL names no host");
}

/** Reports text that is not base64 of `bytes` bytes, without showing it. */
export function checkBase64(place: Place, bytes: number): void {
  if (place.text === "") return;
  try {
    const found = Uint8Array.fromBase64(place.text).length;
    if (found !== bytes) place.error(`expected base64 of ${bytes} bytes, found ${found} bytes`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    place.error(`expected base64 of ${bytes} bytes`);
  }
}

/** Reports an expression that cannot be evaluated. */
export function checkExpression(place: Place, environment: CelEnvironment): void {
  const problem = place.text === "" ? undefined : checkCel(place.text, environment);
  if (problem !== undefined) place.error(`not a CEL expression: ${problem.message} (character ${problem.offset + 1})`);
}

/** Reports a port number that is none. */
export function checkPort(place: Place): void {
  const { number } = place;
  if (number !== undefined && number > 65_535) place.error(`expected a port from 1 to 65535, found ${number}`);
}

/** Reports a reference that no registry can resolve. */
export function checkImage(place: Place): void {
  if (place.text !== "" && !/^[a-zA-Z0-9[][\w.:@/[\]-]*$/.test(place.text)) {
    place.error(`expected an image such as registry.example.org/name:tag, found ${quoted(place)}`);
  }
}

/** Why a text can be no host name, with or without its domain; undefined when it can be set and written to /etc/hosts. */
export function hostnameProblem(text: string): string | undefined {
  const [host = ""] = text.split(".", 1);
  if (host.length > 63) return `the host name has ${host.length} characters, more than 63`;
  if (text.length > 253) return `the name has ${text.length} characters, more than 253`;
  if (/^[\w-]+(\.[\w-]+)*$/.test(text)) return undefined;
  return `expected letters, digits, "-" and "." between names, found ${JSON.stringify(text)}`;
}

/** Reports a host name that is none. @see RFC 1123 section 2.1 */
export function checkHostname(place: Place): void {
  const problem = hostnameProblem(place.text);
  if (problem !== undefined) place.error(problem);
  else if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(place.text)) {
    place.warn("DNS and Kubernetes take no such name: letters, digits and inner hyphens only (RFC 1123)");
  }
}

/** Reports a search domain that would be something else in /etc/resolv.conf. */
export function checkSearchDomain(place: Place): void {
  if (!/^[!-~]+$/.test(place.text)) place.error(`expected a domain such as example.org, found ${quoted(place)}`);
}

/** Reports a name that the kernel gives no link. */
export function checkNewLinkName(place: Place): void {
  const { text } = place;
  if (new TextEncoder().encode(text).length > MAX_LINK_NAME) {
    place.error(`a link's name has at most ${MAX_LINK_NAME} bytes`);
  } else if (text === "." || text === ".." || /[\s/:%]/.test(text)) {
    place.error(`a link's name holds no space, "/", ":" or "%"`); // the kernel would put a number for %d
  }
}

/** Reports a name by which no link can be found: also aliases and alternative names count. */
export function checkLinkReference(place: Place): void {
  const { text } = place;
  if (text.length > MAX_LINK_ALIAS) place.error(`a link's name or alias has at most ${MAX_LINK_ALIAS} bytes`);
  else if (/[\s/:]/.test(text)) place.warn(`no link has a name with a space, "/" or ":"; only an alias can match`);
}

/** A found text for a message. */
export function quoted(place: Place): string {
  return JSON.stringify(place.text);
}
