const OCTETS: readonly string[] = Array.from({ length: 256 }, (_, octet) => String(octet));
const HEX: readonly string[] = Array.from({ length: 256 }, (_, octet) => octet.toString(16));
const HEX_PAIRS: readonly string[] = HEX.map((text) => text.padStart(2, "0"));
const HEX_GROUP = /^[0-9a-f]{1,4}$/i;
const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];

/**
 * The bytes of an address, in network order: 4 for IPv4, 16 for IPv6. Zones (`fe80::1%eth0`) are refused, because a
 * zone belongs to one machine and not to the address.
 *
 * @throws {SyntaxError} for anything but one whole address; leading zeros in IPv4 are refused as ambiguous.
 * @see RFC 4291 section 2.2
 */
export function parseAddress(text: string): Uint8Array {
  const bytes = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  if (bytes === undefined) throw new SyntaxError(`Cannot parse address "${text}": not an IPv4 or IPv6 address`);
  return bytes;
}

/** Whether {@link parseAddress} takes the text. */
export function isAddress(text: string): boolean {
  return (text.includes(":") ? parseIpv6(text) : parseIpv4(text)) !== undefined;
}

/**
 * The canonical text of 4 or 16 bytes in network order, read at `offset`.
 *
 * @throws {RangeError} if `length` is neither 4 nor 16, or the bytes end before it.
 * @see RFC 5952
 */
export function formatAddress(bytes: Uint8Array, offset = 0, length = bytes.length - offset): string {
  if (offset + length > bytes.length) {
    throw new RangeError(`Cannot format address: ${bytes.length - offset} bytes where ${length} are needed`);
  }
  if (length === 4) return formatIpv4(bytes, offset);
  if (length === 16) return formatIpv6(bytes, offset);
  throw new RangeError(`Cannot format address: ${length} bytes are neither IPv4 nor IPv6`);
}

/**
 * The same address in its canonical text.
 *
 * @throws {SyntaxError} as {@link parseAddress}.
 */
export function canonicalAddress(text: string): string {
  return formatAddress(parseAddress(text));
}

/** The family a canonical text belongs to; only the notation is looked at. */
export function addressFamily(text: string): 4 | 6 {
  return text.includes(":") ? 6 : 4;
}

/**
 * Order of two addresses: IPv4 before IPv6, then by bytes. Negative, 0 or positive, as `Array.sort` wants it.
 *
 * @throws {SyntaxError} as {@link parseAddress}.
 */
export function compareAddresses(a: string, b: string): number {
  return compareBytes(parseAddress(a), parseAddress(b));
}

/** Shorter first, then byte by byte. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 127.0.0.0/8 or `::1`. */
export function isLoopback(text: string): boolean {
  const bytes = parseAddress(text);
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && isZero(bytes, 15);
}

/** 169.254.0.0/16 or fe80::/10. */
export function isLinkLocal(text: string): boolean {
  const bytes = parseAddress(text);
  const [first = 0, second = 0] = bytes;
  if (bytes.length === 4) return first === 169 && second === 254;
  return first === 0xfe && (second & 0xc0) === 0x80;
}

/** 224.0.0.0/4 or ff00::/8. */
export function isMulticast(text: string): boolean {
  const bytes = parseAddress(text);
  const [first = 0] = bytes;
  return bytes.length === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

/** `0.0.0.0` or `::`. */
export function isUnspecified(text: string): boolean {
  const bytes = parseAddress(text);
  return isZero(bytes, bytes.length);
}

/** Whether the address is an IPv4 one written inside IPv6, `::ffff:a.b.c.d`. */
export function isIpv4Mapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && isMapped(bytes, 0);
}

function isZero(bytes: Uint8Array, end: number): boolean {
  for (let i = 0; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** Goes over the characters once; every config, route and address passes here. */
function parseIpv4(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(4);
  let index = 0;
  let value = -1; // -1: no digit of this part yet
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (value < 0 || index === 3) return undefined;
      bytes[index++] = value;
      value = -1;
    } else {
      if (code < ZERO || code > NINE || value === 0) return undefined;
      value = value < 0 ? code - ZERO : 10 * value + code - ZERO;
      if (value > 255) return undefined;
    }
  }
  if (index !== 3 || value < 0) return undefined;
  bytes[3] = value;
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** The bytes of groups between colons; the last may be dotted IPv4 where the address ends. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  const bytes: number[] = [];
  if (text === "") return bytes;
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    if (HEX_GROUP.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const dotted = isEnd && i === groups.length - 1 ? parseIpv4(group) : undefined;
    if (dotted === undefined) return undefined;
    bytes.push(...dotted);
  }
  return bytes;
}

function formatIpv4(bytes: Uint8Array, at: number): string {
  return `${octet(bytes[at])}.${octet(bytes[at + 1])}.${octet(bytes[at + 2])}.${octet(bytes[at + 3])}`;
}

function octet(value = 0): string {
  return OCTETS[value] ?? "0";
}

function formatIpv6(bytes: Uint8Array, at: number): string {
  if (isMapped(bytes, at)) return `::ffff:${formatIpv4(bytes, at + 12)}`;
  // the first of the longest runs of zero groups, unless it is a single one
  let [start, end, zeros] = [-1, -1, 0];
  for (let i = 0; i < 8; i++) {
    zeros = bytes[at + 2 * i] === 0 && bytes[at + 2 * i + 1] === 0 ? zeros + 1 : 0;
    if (zeros > 1 && zeros > end - start) [start, end] = [i + 1 - zeros, i + 1];
  }
  let text = "";
  for (let i = 0; i < 8; i++) {
    if (i === start) {
      text += "::";
      i = end - 1;
    } else text += i === 0 || i === end ? group(bytes, at + 2 * i) : `:${group(bytes, at + 2 * i)}`;
  }
  return text;
}

function group(bytes: Uint8Array, at: number): string {
  const [high = 0, low = 0] = [bytes[at], bytes[at + 1]];
  return high === 0 ? HEX[low] ?? "" : `${HEX[high]}${HEX_PAIRS[low]}`;
}

/** ::ffff:0:0/96 */
function isMapped(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 10] !== 0xff || bytes[at + 11] !== 0xff) return false;
  for (let i = at; i < at + 10; i++) if (bytes[i] !== 0) return false;
  return true;
}
