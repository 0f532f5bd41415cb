import { formatAddress } from "../../mod/netip/mod.ts";

const OCTETS: readonly string[] = Array.from({ length: 256 }, (_, octet) => String(octet));
const PAIRS: (string | undefined)[] = new Array(65536).fill(undefined);
const BITS: readonly string[] = Array.from({ length: 129 }, (_, bits) => `/${bits}`);

/** The IPv6 address that was last made: gateways repeat from route to route. */
const last = { high: 0n, low: 0n, text: "::" };

/**
 * Canonical text of 4 or 16 bytes in a message. Dumps are bound by this, so halves of IPv4 addresses are made once and
 * joined.
 *
 * @throws {RangeError} for other lengths or past the end
 */
export function readIp(view: DataView, at: number, length: number): string {
  if (length === 4) return `${pair(view.getUint16(at))}.${pair(view.getUint16(at + 2))}`;
  if (length !== 16) throw new RangeError(`Cannot decode address: its length is ${length}`);
  const [high, low] = [view.getBigUint64(at), view.getBigUint64(at + 8)];
  if (high === last.high && low === last.low) return last.text;
  last.text = formatAddress(new Uint8Array(view.buffer, view.byteOffset + at, 16));
  [last.high, last.low] = [high, low];
  return last.text;
}

/** The text of a prefix whose address lies in a message. */
export function readPrefix(view: DataView, at: number, length: number, bits: number): string {
  if (length !== 4) return `${readIp(view, at, length)}${bitsText(bits)}`;
  return `${pair(view.getUint16(at))}.${pair(view.getUint16(at + 2))}${bitsText(bits)}`;
}

function bitsText(bits: number): string {
  return BITS[bits] ?? `/${bits}`;
}

function pair(value: number): string {
  return PAIRS[value] ??= `${OCTETS[value >> 8]}.${OCTETS[value & 0xff]}`;
}
