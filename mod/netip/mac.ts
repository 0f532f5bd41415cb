const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2})*$/i;
const HEX: readonly string[] = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, "0"));

/**
 * The bytes of a link-layer address written in pairs of hex digits with `:` or `-` between them: 6 for Ethernet, 8
 * for EUI-64, 20 for InfiniBand.
 *
 * @throws {SyntaxError} for other notations and lengths.
 */
export function parseMac(text: string): Uint8Array {
  const bytes = MAC.test(text) ? Uint8Array.from(text.split(/[:-]/), (pair) => Number.parseInt(pair, 16)) : undefined;
  if (bytes === undefined || ![6, 8, 20].includes(bytes.length)) {
    throw new SyntaxError(`Cannot parse hardware address "${text}": not 6, 8 or 20 pairs of hex digits`);
  }
  return bytes;
}

/** Lower-case pairs with colons; no bytes give the empty text. */
export function formatMac(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => HEX[octet]).join(":");
}
