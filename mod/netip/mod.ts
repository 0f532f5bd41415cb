/**
 * IP addresses, prefixes and link-layer addresses, as canonical texts and as bytes. Pure.
 *
 * @module
 */
export {
  addressFamily,
  canonicalAddress,
  compareAddresses,
  formatAddress,
  isAddress,
  isIpv4Mapped,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
  parseAddress,
} from "./address.ts";
export {
  canonicalPrefix,
  comparePrefixes,
  formatPrefix,
  hostPrefix,
  isPrefix,
  maskPrefix,
  parsePrefix,
  parsePrefixBytes,
  type Prefix,
  prefixContains,
  prefixesOverlap,
} from "./prefix.ts";
export { formatMac, parseMac } from "./mac.ts";
