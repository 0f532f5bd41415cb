import { parseAddress, parsePrefixBytes } from "../../mod/netip/mod.ts";
import {
  bytesOf,
  copyBytes,
  type Draft,
  NO_ATTRIBUTES,
  PayloadWriter,
  type RawAttribute,
  readText,
  requireBytes,
  visitAttributes,
} from "../netlink_message.ts";
import { struct } from "../struct.ts";
import { readIp } from "./ip_text.ts";
import { AF_INET, AF_INET6, familyOf, RT_SCOPE_UNIVERSE } from "./message.ts";

const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const IFA_LABEL = 3;
const IFA_BROADCAST = 4;
const IFA_ANYCAST = 5;
const IFA_CACHEINFO = 6;
const IFA_MULTICAST = 7;
const IFA_FLAGS = 8;
const IFA_RT_PRIORITY = 9;
const IFA_PROTO = 11;

/** `ifa_flags`, include/uapi/linux/if_addr.h. */
export const IFA_F_SECONDARY = 0x01;
export const IFA_F_NODAD = 0x02;
export const IFA_F_DADFAILED = 0x08;
export const IFA_F_DEPRECATED = 0x20;
export const IFA_F_TENTATIVE = 0x40;
export const IFA_F_PERMANENT = 0x80;
export const IFA_F_MANAGETEMPADDR = 0x100;
export const IFA_F_NOPREFIXROUTE = 0x200;

/** Lifetime of an address that stays. */
export const LIFETIME_FOREVER = 0xffffffff;

/** `struct ifaddrmsg`, include/uapi/linux/if_addr.h. */
export const ifaddrmsg = struct(8, {
  family: [0, "u8"],
  prefixLength: [1, "u8"],
  flags: [2, "u8"],
  scope: [3, "u8"],
  index: [4, "u32"],
});
/** `struct ifa_cacheinfo`; lifetimes in seconds, times in 1/100 s since boot. */
const cacheinfo = struct(16, {
  preferred: [0, "u32"],
  valid: [4, "u32"],
  created: [8, "u32"],
  updated: [12, "u32"],
});

/** An address of a link as the kernel tells it. Texts are canonical and empty where there is nothing. */
export interface RtnlAddress {
  readonly family: 4 | 6;
  readonly linkIndex: number;
  /** The address with its length, e.g. `10.0.0.5/24`. */
  readonly prefix: string;
  /** The other end of a point-to-point link. */
  readonly peer: string;
  readonly broadcast: string;
  readonly anycast: string;
  readonly multicast: string;
  /** IPv4 only. */
  readonly label: string;
  /** `IFA_F_…`. */
  readonly flags: number;
  /** `RT_SCOPE_…`. */
  readonly scope: number;
  /** Metric of the route that comes with the address; 0 is the kernel's default. */
  readonly priority: number;
  /** Who made it, `IFAPROT_…`; 0 not told. */
  readonly protocol: number;
  /** Seconds left, or {@link LIFETIME_FOREVER}. */
  readonly preferredSeconds: number;
  readonly validSeconds: number;
  /** Attributes without a field here. */
  readonly unknown: readonly RawAttribute[];
}

/** An address to be added or deleted; by default of global scope and for ever. */
export type RtnlAddressRequest =
  & Partial<Omit<RtnlAddress, "family">>
  & { readonly linkIndex: number; readonly prefix: string };

/**
 * The payload of RTM_NEWADDR or RTM_DELADDR; undefined for families other than IP.
 *
 * @throws {RangeError} cut off
 */
export function decodeAddress(view: DataView, start = 0, end = view.byteLength): RtnlAddress | undefined {
  requireBytes(start, end, ifaddrmsg.size, "ifaddrmsg");
  const { family: af, flags, scope, index: linkIndex, prefixLength } = ifaddrmsg.decode(bytesOf(view), start);
  const family = familyOf(af);
  if (family === undefined) return undefined;
  const address: Draft<RtnlAddress> = {
    ...{ family, linkIndex, prefix: "", peer: "", broadcast: "", anycast: "", multicast: "", label: "", flags, scope },
    ...{ priority: 0, protocol: 0, preferredSeconds: LIFETIME_FOREVER, validSeconds: LIFETIME_FOREVER },
    unknown: NO_ATTRIBUTES,
  };
  let [local, remote] = ["", ""];
  visitAttributes(view, start + ifaddrmsg.size, end, (type, at, length) => {
    if (type === IFA_LOCAL) local = readIp(view, at, length);
    else if (type === IFA_ADDRESS) remote = readIp(view, at, length);
    else readAttribute(address, type, view, at, length);
  });
  // IFA_ADDRESS is the other end of a point-to-point link, else the address itself, and IPv6 sends it alone
  address.prefix = `${local === "" ? remote : local}/${prefixLength}`;
  if (local !== "" && local !== remote) address.peer = remote;
  return Object.freeze(address);
}

function readAttribute(address: Draft<RtnlAddress>, type: number, view: DataView, at: number, length: number): void {
  switch (type) {
    case IFA_LABEL:
      address.label = readText(view, at, length);
      return;
    case IFA_BROADCAST:
      address.broadcast = readIp(view, at, length);
      return;
    case IFA_ANYCAST:
      address.anycast = readIp(view, at, length);
      return;
    case IFA_MULTICAST:
      address.multicast = readIp(view, at, length);
      return;
    case IFA_FLAGS: // 32 bits; the header has room for eight
      address.flags = view.getUint32(at, true);
      return;
    case IFA_RT_PRIORITY:
      address.priority = view.getUint32(at, true);
      return;
    case IFA_PROTO:
      address.protocol = view.getUint8(at);
      return;
    case IFA_CACHEINFO:
      address.preferredSeconds = view.getUint32(at, true);
      address.validSeconds = view.getUint32(at + 4, true);
      return;
  }
  address.unknown = [...address.unknown, { type, value: copyBytes(view, at, length) }];
}

/**
 * The payload that asks for an address, attributes in the kernel's own order.
 *
 * @throws {SyntaxError} for a text that is no address or prefix
 */
export function encodeAddress(request: RtnlAddressRequest): Uint8Array<ArrayBuffer> {
  const { bytes: local, bits } = parsePrefixBytes(request.prefix);
  const flags = request.flags ?? 0;
  const writer = new PayloadWriter();
  writer.header(ifaddrmsg, {
    family: local.length === 4 ? AF_INET : AF_INET6,
    prefixLength: bits,
    flags: flags & 0xff,
    scope: request.scope ?? RT_SCOPE_UNIVERSE,
    index: request.linkIndex,
  });
  writer.bytes(IFA_ADDRESS, request.peer ? parseAddress(request.peer) : local);
  writer.bytes(IFA_LOCAL, local);
  if (request.broadcast) writer.bytes(IFA_BROADCAST, parseAddress(request.broadcast));
  if (request.anycast) writer.bytes(IFA_ANYCAST, parseAddress(request.anycast));
  if (request.label) writer.text(IFA_LABEL, request.label);
  if (request.protocol) writer.u8(IFA_PROTO, request.protocol);
  if (flags !== 0) writer.u32(IFA_FLAGS, flags);
  if (request.priority) writer.u32(IFA_RT_PRIORITY, request.priority);
  const { preferredSeconds: preferred = LIFETIME_FOREVER, validSeconds: valid = LIFETIME_FOREVER } = request;
  if (preferred !== LIFETIME_FOREVER || valid !== LIFETIME_FOREVER) {
    writer.bytes(IFA_CACHEINFO, cacheinfo.encode({ preferred, valid }));
  }
  for (const { type, value } of request.unknown ?? NO_ATTRIBUTES) writer.bytes(type, value);
  return writer.finish();
}
