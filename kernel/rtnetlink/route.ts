import { addressFamily, parseAddress, parsePrefixBytes } from "../../mod/netip/mod.ts";
import {
  attributeLength,
  copyBytes,
  type Draft,
  NLA_TYPE_MASK,
  NO_ATTRIBUTES,
  PayloadWriter,
  type RawAttribute,
  requireBytes,
  visitAttributes,
} from "../netlink_message.ts";
import { struct } from "../struct.ts";
import { readIp, readPrefix } from "./ip_text.ts";
import { afOf, familyOf, RT_SCOPE_UNIVERSE, RT_TABLE_MAIN, RTN_UNICAST, RTPROT_STATIC } from "./message.ts";

const RTA_DST = 1;
const RTA_SRC = 2;
const RTA_OIF = 4;
const RTA_GATEWAY = 5;
const RTA_PRIORITY = 6;
const RTA_PREFSRC = 7;
const RTA_METRICS = 8;
const RTA_MULTIPATH = 9;
const RTA_CACHEINFO = 12;
const RTA_TABLE = 15;
const RTA_VIA = 18;
const RTA_PREF = 20;
const RTAX_MTU = 2;
const METRICS_OF_MTU_ALONE = 12;
/** Ticks a second that user space is told times in. */
const USER_HZ = 100;

/** `struct rtmsg`, include/uapi/linux/rtnetlink.h. */
export const rtmsg = struct(12, {
  family: [0, "u8"],
  dstLen: [1, "u8"],
  srcLen: [2, "u8"],
  tos: [3, "u8"],
  table: [4, "u8"],
  protocol: [5, "u8"],
  scope: [6, "u8"],
  type: [7, "u8"],
  flags: [8, "u32"],
});
/** `struct rtnexthop`. */
const rtnexthop = struct(8, { length: [0, "u16"], flags: [2, "u8"], hops: [3, "u8"], ifindex: [4, "u32"] });

/** One way of a multipath route. */
export interface RtnlNextHop {
  readonly linkIndex: number;
  /** Empty if the destination is on the link. */
  readonly gateway: string;
  /** 1 to 256, share of the traffic. */
  readonly weight: number;
  /** `RTNH_F_…`. */
  readonly flags: number;
}

/** A route as the kernel tells it. Texts are canonical and empty where there is nothing. */
export interface RtnlRoute {
  readonly family: 4 | 6;
  /** Prefix; a default route has `0.0.0.0/0` or `::/0`. */
  readonly destination: string;
  /** Prefix of senders (IPv6 only), or empty. */
  readonly source: string;
  /** May be of the other family (RFC 5549). */
  readonly gateway: string;
  readonly preferredSource: string;
  /** 0 for multipath, and for blackhole and the like. */
  readonly outLinkIndex: number;
  /** The metric; lower wins. IPv6 takes 0 as 1024. */
  readonly priority: number;
  readonly table: number;
  /** `RTPROT_…`. */
  readonly protocol: number;
  /** `RT_SCOPE_…`. */
  readonly scope: number;
  /** `RTN_…`. */
  readonly type: number;
  readonly tos: number;
  /** `RTM_F_…` and `RTNH_F_…`. */
  readonly flags: number;
  /** 0 if the link's counts. */
  readonly mtu: number;
  /** ICMPv6 router preference: 0 medium, 1 high, 3 low. */
  readonly preference: number;
  /** Until the kernel drops it, as router advertisements ask; 0 for ever. */
  readonly expiresSeconds: number;
  /** Multipath only. */
  readonly nextHops: readonly RtnlNextHop[];
  /** Attributes without a field here. */
  readonly unknown: readonly RawAttribute[];
}

/** A route to be added or deleted: the destination decides the family; defaults are a static route of the main table. */
export type RtnlRouteRequest = Partial<Omit<RtnlRoute, "family" | "expiresSeconds">> & { readonly destination: string };

/** One empty list for all routes that have one way. */
const NO_HOPS: readonly RtnlNextHop[] = Object.freeze([]);

/**
 * The payload of RTM_NEWROUTE or RTM_DELROUTE; undefined for families other than IP.
 *
 * @throws {RangeError} cut off
 */
export function decodeRoute(view: DataView, start = 0, end = view.byteLength): RtnlRoute | undefined {
  requireBytes(start, end, rtmsg.size, "rtmsg");
  const family = familyOf(view.getUint8(start));
  if (family === undefined) return undefined;
  const route = startRoute(family, view, start);
  for (let at = start + rtmsg.size; at < end;) {
    const length = attributeLength(view, at, end);
    readAttribute(route, view, start, at, length);
    at += (length + 3) & ~3;
  }
  if (route.destination === "") route.destination = `${family === 4 ? "0.0.0.0" : "::"}/${view.getUint8(start + 1)}`;
  return Object.freeze(route);
}

/** What the fixed struct says. All fields are there from the start, so that all routes have one hidden class. */
function startRoute(family: 4 | 6, view: DataView, start: number): Draft<RtnlRoute> {
  return {
    family,
    destination: "",
    source: "",
    gateway: "",
    preferredSource: "",
    outLinkIndex: 0,
    priority: 0,
    table: view.getUint8(start + 4),
    protocol: view.getUint8(start + 5),
    scope: view.getUint8(start + 6),
    type: view.getUint8(start + 7),
    tos: view.getUint8(start + 3),
    flags: view.getUint32(start + 8, true),
    mtu: 0,
    preference: 0,
    expiresSeconds: 0,
    nextHops: NO_HOPS,
    unknown: NO_ATTRIBUTES,
  };
}

/** `header` is where the rtmsg lies, `at` where the attribute does. */
function readAttribute(route: Draft<RtnlRoute>, view: DataView, header: number, at: number, length: number): void {
  const type = view.getUint16(at + 2, true) & NLA_TYPE_MASK;
  const value = at + 4;
  switch (type) {
    case RTA_DST:
      route.destination = readPrefix(view, value, length - 4, view.getUint8(header + 1));
      return;
    case RTA_SRC:
      route.source = readPrefix(view, value, length - 4, view.getUint8(header + 2));
      return;
    case RTA_GATEWAY:
      route.gateway = readIp(view, value, length - 4);
      return;
    case RTA_VIA: // a family, then the address
      route.gateway = readIp(view, value + 2, length - 6);
      return;
    case RTA_PREFSRC:
      route.preferredSource = readIp(view, value, length - 4);
      return;
    case RTA_OIF:
      route.outLinkIndex = view.getUint32(value, true);
      return;
    case RTA_PRIORITY:
      route.priority = view.getUint32(value, true);
      return;
    case RTA_TABLE:
      route.table = view.getUint32(value, true);
      return;
    case RTA_PREF:
      route.preference = view.getUint8(value);
      return;
    case RTA_CACHEINFO: // `struct rta_cacheinfo`; the rest of it is counters
      route.expiresSeconds = Math.max(0, view.getInt32(value + 8, true) / USER_HZ);
      return;
    case RTA_MULTIPATH:
      route.nextHops = decodeNextHops(view, value, at + length);
      return;
    case RTA_METRICS:
      route.mtu = decodeMtu(view, value, at + length);
      if (route.mtu !== 0 && length === METRICS_OF_MTU_ALONE) return;
      break; // other metrics have no field, so all of them are kept
  }
  route.unknown = [...route.unknown, { type, value: copyBytes(view, value, length - 4) }];
}

function decodeMtu(view: DataView, start: number, end: number): number {
  let mtu = 0;
  visitAttributes(view, start, end, (type, at) => {
    if (type === RTAX_MTU) mtu = view.getUint32(at, true);
  });
  return mtu;
}

function decodeNextHops(view: DataView, start: number, end: number): RtnlNextHop[] {
  const hops: RtnlNextHop[] = [];
  for (let at = start; at < end;) {
    requireBytes(at, end, rtnexthop.size, "rtnexthop");
    const length = view.getUint16(at, true);
    if (length < rtnexthop.size) throw new RangeError(`Cannot decode rtnexthop: its length is ${length}`);
    requireBytes(at, end, length, "rtnexthop");
    let gateway = "";
    visitAttributes(view, at + rtnexthop.size, at + length, (type, value, size) => {
      if (type === RTA_GATEWAY) gateway = readIp(view, value, size);
      if (type === RTA_VIA) gateway = readIp(view, value + 2, size - 2);
    });
    const linkIndex = view.getUint32(at + 4, true);
    hops.push({ linkIndex, gateway, weight: view.getUint8(at + 3) + 1, flags: view.getUint8(at + 2) });
    at += (length + 3) & ~3;
  }
  return hops;
}

/**
 * The payload that asks for a route, attributes in the kernel's own order.
 *
 * @throws {SyntaxError} for a text that is no address or prefix
 */
export function encodeRoute(route: RtnlRouteRequest): Uint8Array<ArrayBuffer> {
  const { bytes, bits } = parsePrefixBytes(route.destination);
  const family = bytes.length === 4 ? 4 : 6;
  const source = route.source ? parsePrefixBytes(route.source) : undefined;
  const table = route.table ?? RT_TABLE_MAIN;
  const writer = new PayloadWriter();
  writer.header(rtmsg, {
    family: afOf(family),
    dstLen: bits,
    srcLen: source?.bits ?? 0,
    tos: route.tos ?? 0,
    table: table < 256 ? table : 0,
    protocol: route.protocol ?? RTPROT_STATIC,
    scope: route.scope ?? RT_SCOPE_UNIVERSE,
    type: route.type ?? RTN_UNICAST,
    flags: route.flags ?? 0,
  });
  writer.u32(RTA_TABLE, table);
  if (bits > 0) writer.bytes(RTA_DST, bytes);
  if (source !== undefined) writer.bytes(RTA_SRC, source.bytes);
  if (route.priority) writer.u32(RTA_PRIORITY, route.priority);
  if (route.mtu) {
    const mtu = route.mtu;
    writer.nest(RTA_METRICS, () => writer.u32(RTAX_MTU, mtu), undefined, 0);
  }
  if (route.preferredSource) writer.bytes(RTA_PREFSRC, parseAddress(route.preferredSource));
  if (route.gateway) writeGateway(writer, family, route.gateway);
  if (route.outLinkIndex) writer.u32(RTA_OIF, route.outLinkIndex);
  if (route.nextHops !== undefined && route.nextHops.length > 0) writeNextHops(writer, family, route.nextHops);
  if (route.preference) writer.u8(RTA_PREF, route.preference);
  for (const { type, value } of route.unknown ?? NO_ATTRIBUTES) writer.bytes(type, value);
  return writer.finish();
}

function writeGateway(writer: PayloadWriter, family: 4 | 6, gateway: string): void {
  const bytes = parseAddress(gateway);
  const gatewayFamily = addressFamily(gateway);
  if (gatewayFamily === family) writer.bytes(RTA_GATEWAY, bytes);
  else writer.bytes(RTA_VIA, Uint8Array.of(afOf(gatewayFamily), 0, ...bytes));
}

function writeNextHops(writer: PayloadWriter, family: 4 | 6, nextHops: readonly RtnlNextHop[]): void {
  const writeAll = () => {
    for (const { linkIndex, gateway, weight, flags } of nextHops) {
      const at = writer.raw(rtnexthop.encode({ flags, hops: weight - 1, ifindex: linkIndex }));
      if (gateway !== "") writeGateway(writer, family, gateway);
      writer.setLength(at);
    }
  };
  writer.nest(RTA_MULTIPATH, writeAll, undefined, 0);
}
