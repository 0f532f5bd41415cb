import { addressFamily, canonicalAddress, isAddress } from "../netip/mod.ts";

/** Port of the machine API. */
export const API_PORT = 50000;

/** Where a node's API is reached. */
export interface Endpoint {
  /** Canonical IP address, or a DNS name. */
  readonly host: string;
  readonly port: number;
  /** Whether `host` is an address, which TLS cannot send as a server name. */
  readonly isAddress: boolean;
  /** `host:port` with brackets around an IPv6 address. */
  readonly text: string;
}

/**
 * An endpoint as people write it: address or name, with or without `https://` and port.
 * @throws {SyntaxError} when it is neither.
 */
export function parseEndpoint(text: string): Endpoint {
  const bare = text.trim().replace(/^https?:\/\//, "").replace(/\/$/, "");
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(bare);
  const plain = bracketed ?? (isAddress(bare) ? [bare, bare] : /^([^:\s/]+)(?::(\d+))?$/.exec(bare));
  const [, name = "", digits] = plain ?? [];
  const host = isAddress(name) ? canonicalAddress(name) : name;
  const port = digits === undefined ? API_PORT : Number(digits);
  if (host === "" || port < 1 || port > 65535 || (bracketed !== null && !isAddress(host))) {
    throw new SyntaxError(
      `Cannot use endpoint "${text}": write an address or a name, such as 10.5.0.2 or [fd00::2]:50000`,
    );
  }
  const brackets = isAddress(host) && addressFamily(host) === 6;
  return { host, port, isAddress: isAddress(host), text: brackets ? `[${host}]:${port}` : `${host}:${port}` };
}
