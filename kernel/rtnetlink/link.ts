import { formatMac, parseMac } from "../../mod/netip/mod.ts";
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
import { AF_UNSPEC } from "./message.ts";
import { decodeLinkInfo, type RtnlLinkInfo, type RtnlLinkKind, writeLinkInfo } from "./link_info.ts";

const IFLA_ADDRESS = 1;
const IFLA_BROADCAST = 2;
const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFLA_LINK = 5;
const IFLA_QDISC = 6;
const IFLA_STATS = 7;
const IFLA_MASTER = 10;
const IFLA_TXQLEN = 13;
const IFLA_OPERSTATE = 16;
const IFLA_LINKINFO = 18;
const IFLA_NET_NS_PID = 19;
const IFLA_IFALIAS = 20;
const IFLA_STATS64 = 23;
const IFLA_AF_SPEC = 26;
const IFLA_NET_NS_FD = 28;
const IFLA_CARRIER = 33;
const IFLA_LINK_NETNSID = 37;
const IFLA_PROP_LIST = 52;
const IFLA_ALT_IFNAME = 53;
const IFLA_PERM_ADDRESS = 54;
/** Which parts of a link a dump leaves out. */
export const IFLA_EXT_MASK = 29;
/** Counters, which are half of every answer and which nobody here reads. */
export const RTEXT_FILTER_SKIP_STATS = 8;

/** `ifi_flags`, include/uapi/linux/if.h. */
export const IFF_UP = 0x1;
export const IFF_BROADCAST = 0x2;
export const IFF_LOOPBACK = 0x8;
export const IFF_POINTOPOINT = 0x10;
export const IFF_RUNNING = 0x40;
export const IFF_NOARP = 0x80;
export const IFF_PROMISC = 0x100;
export const IFF_MULTICAST = 0x1000;
export const IFF_LOWER_UP = 0x10000;

/** `ifi_type`, include/uapi/linux/if_arp.h. */
export const ARPHRD_ETHER = 1;
export const ARPHRD_LOOPBACK = 772;

/** `struct ifinfomsg`, include/uapi/linux/rtnetlink.h. */
export const ifinfomsg = struct(16, {
  family: [0, "u8"],
  type: [2, "u16"],
  index: [4, "i32"],
  flags: [8, "u32"],
  change: [12, "u32"],
});

/** A link as the kernel tells it. Texts are empty, numbers 0 where there is nothing. */
export interface RtnlLink extends RtnlLinkInfo {
  readonly index: number;
  readonly name: string;
  readonly altNames: readonly string[];
  readonly alias: string;
  /** `ARPHRD_…`. */
  readonly type: number;
  /** `IFF_…`. */
  readonly flags: number;
  readonly mtu: number;
  /** MAC in lower case. */
  readonly hardwareAddr: string;
  readonly broadcastAddr: string;
  /** Burnt in. */
  readonly permanentAddr: string;
  /** RFC 2863: 0 unknown, 2 down, 3 lower layer down, 5 dormant, 6 up. */
  readonly operState: number;
  readonly hasCarrier: boolean;
  readonly queueDisc: string;
  readonly txQueueLength: number;
  /** The bridge or bond that it belongs to. */
  readonly masterIndex: number;
  /** The link below (vlan, macvlan) or the other end (veth), in the namespace `linkNetnsId`. */
  readonly linkIndex: number;
  /** -1 for this namespace. */
  readonly linkNetnsId: number;
  /** Attributes without a field here, counters aside. */
  readonly unknown: readonly RawAttribute[];
}

/**
 * The payload of RTM_NEWLINK or RTM_DELLINK; undefined for other families, such as bridge port events.
 *
 * @throws {RangeError} cut off
 */
export function decodeLink(view: DataView, start = 0, end = view.byteLength): RtnlLink | undefined {
  requireBytes(start, end, ifinfomsg.size, "ifinfomsg");
  const { family, type, index, flags } = ifinfomsg.decode(bytesOf(view), start);
  if (family !== AF_UNSPEC) return undefined;
  const link: Draft<RtnlLink> = {
    ...{ index, name: "", altNames: [], alias: "", type, flags, mtu: 0, hardwareAddr: "", broadcastAddr: "" },
    ...{ permanentAddr: "", operState: 0, hasCarrier: false, queueDisc: "", txQueueLength: 0, masterIndex: 0 },
    ...{ linkIndex: 0, linkNetnsId: -1, kind: "", slaveKind: "", unknown: NO_ATTRIBUTES },
  };
  visitAttributes(view, start + ifinfomsg.size, end, (attribute, at, length) => {
    readAttribute(link, attribute, view, at, length);
  });
  return Object.freeze(link);
}

function readAttribute(link: Draft<RtnlLink>, type: number, view: DataView, at: number, length: number): void {
  switch (type) {
    case IFLA_ADDRESS:
      link.hardwareAddr = readMac(view, at, length);
      return;
    case IFLA_BROADCAST:
      link.broadcastAddr = readMac(view, at, length);
      return;
    case IFLA_PERM_ADDRESS:
      link.permanentAddr = readMac(view, at, length);
      return;
    case IFLA_IFNAME:
      link.name = readText(view, at, length);
      return;
    case IFLA_IFALIAS:
      link.alias = readText(view, at, length);
      return;
    case IFLA_QDISC:
      link.queueDisc = readText(view, at, length);
      return;
    case IFLA_MTU:
      link.mtu = view.getUint32(at, true);
      return;
    case IFLA_TXQLEN:
      link.txQueueLength = view.getUint32(at, true);
      return;
    case IFLA_LINK:
      link.linkIndex = view.getUint32(at, true);
      return;
    case IFLA_LINK_NETNSID:
      link.linkNetnsId = view.getInt32(at, true);
      return;
    case IFLA_MASTER:
      link.masterIndex = view.getUint32(at, true);
      return;
    case IFLA_OPERSTATE:
      link.operState = view.getUint8(at);
      return;
    case IFLA_CARRIER:
      link.hasCarrier = view.getUint8(at) !== 0;
      return;
    case IFLA_PROP_LIST:
      visitAttributes(view, at, at + length, (property, nameAt, size) => {
        if (property === IFLA_ALT_IFNAME) link.altNames = [...link.altNames, readText(view, nameAt, size)];
      });
      return;
    case IFLA_LINKINFO:
      Object.assign(link, decodeLinkInfo(view, at, at + length));
      return;
    case IFLA_STATS:
    case IFLA_STATS64:
    case IFLA_AF_SPEC: // counters of each protocol, which make two reports of one state differ
      return;
  }
  link.unknown = [...link.unknown, { type, value: copyBytes(view, at, length) }];
}

function readMac(view: DataView, at: number, length: number): string {
  return formatMac(new Uint8Array(view.buffer, view.byteOffset + at, length));
}

/** A namespace to move a link into: of a process, or by descriptor. */
export interface NetnsTarget {
  readonly netnsPid?: number;
  readonly netnsFd?: number;
}

/** What to make or change of a link; what is left out stays as it is. */
export interface RtnlLinkRequest extends NetnsTarget {
  /** 0 or left out: found by name. */
  readonly index?: number;
  readonly name?: string;
  readonly alias?: string;
  readonly up?: boolean;
  readonly multicast?: boolean;
  readonly mtu?: number;
  readonly hardwareAddr?: string;
  readonly txQueueLength?: number;
  /** 0 takes it out of its bridge or bond. */
  readonly masterIndex?: number;
  /** The link below, for vlan and macvlan. */
  readonly linkIndex?: number;
}

/**
 * The payload of RTM_NEWLINK.
 *
 * @param info type of a new link with its options
 * @throws {SyntaxError} for a text that is no MAC
 */
export function encodeLink(request: RtnlLinkRequest, info?: RtnlLinkKind): Uint8Array<ArrayBuffer> {
  const writer = new PayloadWriter();
  writeLink(writer, request);
  if (info === undefined) return writer.finish();
  writer.nest(IFLA_LINKINFO, () => writeLinkInfo(writer, info, (peer) => writeLink(writer, peer)));
  return writer.finish();
}

/** Header and attributes. */
function writeLink(writer: PayloadWriter, request: RtnlLinkRequest): void {
  const { index = 0, up, multicast } = request;
  const flags = (up === true ? IFF_UP : 0) | (multicast === true ? IFF_MULTICAST : 0);
  const change = (up === undefined ? 0 : IFF_UP) | (multicast === undefined ? 0 : IFF_MULTICAST);
  writer.header(ifinfomsg, { family: AF_UNSPEC, index, flags, change });
  if (request.name !== undefined) writer.text(IFLA_IFNAME, request.name);
  if (request.alias !== undefined) writer.text(IFLA_IFALIAS, request.alias);
  if (request.mtu !== undefined) writer.u32(IFLA_MTU, request.mtu);
  if (request.hardwareAddr !== undefined) writer.bytes(IFLA_ADDRESS, parseMac(request.hardwareAddr));
  if (request.txQueueLength !== undefined) writer.u32(IFLA_TXQLEN, request.txQueueLength);
  if (request.masterIndex !== undefined) writer.u32(IFLA_MASTER, request.masterIndex);
  if (request.linkIndex !== undefined) writer.u32(IFLA_LINK, request.linkIndex);
  if (request.netnsPid !== undefined) writer.u32(IFLA_NET_NS_PID, request.netnsPid);
  if (request.netnsFd !== undefined) writer.u32(IFLA_NET_NS_FD, request.netnsFd);
}
