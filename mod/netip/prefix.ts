import { compareBytes, formatAddress, parseAddress } from "./address.ts";

const BITS = /^(?:0|[1-9][0-9]{0,2})$/;

/** An address and how many of its leading bits name the network; host bits may be set. */
export interface Prefix {
  /** Canonical text. */
  address: string;
  /** 0 to 32 for IPv4, 0 to 128 for IPv6. */
  bits: number;
}

/**
 * Takes `10.0.0.5/24` apart; the address comes back canonical, host bits kept.
 *
 * @throws {SyntaxError} if there is no length, it is out of range, or the address does not parse.
 */
export function parsePrefix(text: string): Prefix {
  const { bytes, bits } = parsePrefixBytes(text);
  return { address: formatAddress(bytes), bits };
}

/**
 * As {@link parsePrefix}, with the address as bytes in network order, host bits kept.
 *
 * @throws {SyntaxError} as {@link parsePrefix}.
 */
export function parsePrefixBytes(text: string): { bytes: Uint8Array; bits: number } {
  const slash = text.indexOf("/");
  const bitsText = text.slice(slash + 1);
  if (slash === -1 || !BITS.test(bitsText)) {
    throw new SyntaxError(`Cannot parse prefix "${text}": not an address and a length, such as 10.0.0.5/24`);
  }
  const bytes = parseAddress(text.slice(0, slash));
  const bits = Number(bitsText);
  if (bits > 8 * bytes.length) {
    throw new SyntaxError(`Cannot parse prefix "${text}": the length is more than ${8 * bytes.length} bits`);
  }
  return { bytes, bits };
}

/** Whether {@link parsePrefix} takes the text. */
export function isPrefix(text: string): boolean {
  try {
    parsePrefixBytes(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** `10.0.0.5/24` of its parts. */
export function formatPrefix(prefix: Prefix): string {
  return `${prefix.address}/${prefix.bits}`;
}

/**
 * The same prefix in its canonical text, host bits kept.
 *
 * @throws {SyntaxError} as {@link parsePrefix}.
 */
export function canonicalPrefix(text: string): string {
  return formatPrefix(parsePrefix(text));
}

/**
 * The network a prefix is in: `10.0.0.5/24` gives `10.0.0.0/24`.
 *
 * @throws {SyntaxError} as {@link parsePrefix}.
 */
export function maskPrefix(text: string): string {
  const { bytes, bits } = parsePrefixBytes(text);
  return `${formatAddress(masked(bytes, bits))}/${bits}`;
}

/**
 * The prefix that covers one address only: `10.0.0.5` gives `10.0.0.5/32`.
 *
 * @throws {SyntaxError} as `parseAddress`.
 */
export function hostPrefix(address: string): string {
  const bytes = parseAddress(address);
  return `${formatAddress(bytes)}/${8 * bytes.length}`;
}

/**
 * Whether an address, or the whole of another prefix, lies in the network of `prefix`. Families never contain
 * each other.
 *
 * @throws {SyntaxError} as {@link parsePrefix} and `parseAddress`.
 */
export function prefixContains(prefix: string, addressOrPrefix: string): boolean {
  const outer = parsePrefixBytes(prefix);
  const inner = addressOrPrefix.includes("/") ? parsePrefixBytes(addressOrPrefix) : whole(addressOrPrefix);
  if (outer.bytes.length !== inner.bytes.length || inner.bits < outer.bits) return false;
  return compareBytes(masked(outer.bytes, outer.bits), masked(inner.bytes, outer.bits)) === 0;
}

/**
 * Whether two networks share an address.
 *
 * @throws {SyntaxError} as {@link parsePrefix}.
 */
export function prefixesOverlap(a: string, b: string): boolean {
  return prefixContains(a, b) || prefixContains(b, a);
}

/**
 * Order of two prefixes: IPv4 before IPv6, then by address bytes, then the wider network first.
 *
 * @throws {SyntaxError} as {@link parsePrefix}.
 */
export function comparePrefixes(a: string, b: string): number {
  const left = parsePrefixBytes(a);
  const right = parsePrefixBytes(b);
  return compareBytes(left.bytes, right.bytes) || left.bits - right.bits;
}

function whole(address: string): { bytes: Uint8Array; bits: number } {
  const bytes = parseAddress(address);
  return { bytes, bits: 8 * bytes.length };
}

function masked(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((octet, i) => octet & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))));
}
