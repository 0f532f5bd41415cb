import { type PayloadWriter, readText, visitAttributes } from "../netlink_message.ts";
import type { RtnlLinkRequest } from "./link.ts";

const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const IFLA_INFO_SLAVE_KIND = 4;
const VETH_INFO_PEER = 1;
const IFLA_VLAN_ID = 1;
const IFLA_VLAN_PROTOCOL = 5;
const IFLA_BR_STP_STATE = 5;
const IFLA_BR_VLAN_FILTERING = 7;
const IFLA_BR_MCAST_SNOOPING = 23;
const IFLA_BOND_MODE = 1;
const IFLA_BOND_MIIMON = 3;
const IFLA_BOND_UPDELAY = 4;
const IFLA_BOND_DOWNDELAY = 5;
const IFLA_BOND_XMIT_HASH_POLICY = 14;
const IFLA_BOND_AD_LACP_RATE = 21;
const IFLA_MACVLAN_MODE = 1;

/** Ethertypes of vlan tags. */
export const ETH_P_8021Q = 0x8100;
export const ETH_P_8021AD = 0x88a8;

/** Options of a vlan link. */
export interface RtnlVlan {
  /** 1 to 4094. */
  readonly id: number;
  /** Ethertype, by default 802.1Q. */
  readonly protocol: number;
}

/** Options of a bridge. */
export interface RtnlBridge {
  readonly stp: boolean;
  readonly vlanFiltering: boolean;
  readonly multicastSnooping: boolean;
}

/** Options of a bond, include/uapi/linux/if_bonding.h. */
export interface RtnlBond {
  /** 0 balance-rr, 1 active-backup, 2 balance-xor, 3 broadcast, 4 802.3ad, 5 balance-tlb, 6 balance-alb. */
  readonly mode: number;
  readonly miimonMs: number;
  readonly upDelayMs: number;
  readonly downDelayMs: number;
  readonly xmitHashPolicy: number;
  readonly lacpRate: number;
}

/** What a link is, as the kernel tells it. */
export interface RtnlLinkInfo {
  /** E.g. `veth`; empty for hardware and loopback. */
  readonly kind: string;
  /** Kind of its master, e.g. `bridge`; empty without one. */
  readonly slaveKind: string;
  readonly vlan?: RtnlVlan;
  readonly bridge?: RtnlBridge;
  readonly bond?: RtnlBond;
}

/** What a new link shall be. Kinds without an entry of their own are made with the kernel's defaults. */
export type RtnlLinkKind =
  | { readonly kind: "veth"; readonly peer?: RtnlLinkRequest }
  | { readonly kind: "vlan"; readonly vlan: Partial<RtnlVlan> & { readonly id: number } }
  | { readonly kind: "bridge"; readonly bridge?: Partial<RtnlBridge> }
  | { readonly kind: "bond"; readonly bond?: Partial<RtnlBond> }
  | { readonly kind: "macvlan"; /** 1 private, 2 vepa, 4 bridge, 8 passthru. */ readonly macvlanMode?: number }
  | { readonly kind: "dummy" | "ifb" | "vrf" | "wireguard" };

/** The value of IFLA_LINKINFO. @throws {RangeError} cut off */
export function decodeLinkInfo(view: DataView, start: number, end: number): RtnlLinkInfo {
  const texts = { kind: "", slaveKind: "" };
  let data: [at: number, end: number] | undefined;
  visitAttributes(view, start, end, (type, at, length) => {
    if (type === IFLA_INFO_KIND) texts.kind = readText(view, at, length);
    if (type === IFLA_INFO_SLAVE_KIND) texts.slaveKind = readText(view, at, length);
    if (type === IFLA_INFO_DATA) data = [at, at + length];
  });
  if (data === undefined) return texts;
  const decode = DATA_DECODERS[texts.kind];
  return decode === undefined ? texts : { ...texts, ...decode(view, ...data) };
}

type DataDecoder = (view: DataView, start: number, end: number) => Omit<RtnlLinkInfo, "kind" | "slaveKind">;

const DATA_DECODERS: Readonly<Record<string, DataDecoder | undefined>> = {
  vlan(view, start, end) {
    const vlan = { id: 0, protocol: ETH_P_8021Q };
    visitAttributes(view, start, end, (type, at) => {
      if (type === IFLA_VLAN_ID) vlan.id = view.getUint16(at, true);
      if (type === IFLA_VLAN_PROTOCOL) vlan.protocol = view.getUint16(at);
    });
    return { vlan };
  },
  bridge(view, start, end) {
    const bridge = { stp: false, vlanFiltering: false, multicastSnooping: false };
    visitAttributes(view, start, end, (type, at) => {
      if (type === IFLA_BR_STP_STATE) bridge.stp = view.getUint32(at, true) !== 0;
      if (type === IFLA_BR_VLAN_FILTERING) bridge.vlanFiltering = view.getUint8(at) !== 0;
      if (type === IFLA_BR_MCAST_SNOOPING) bridge.multicastSnooping = view.getUint8(at) !== 0;
    });
    return { bridge };
  },
  bond(view, start, end) {
    const bond = { mode: 0, miimonMs: 0, upDelayMs: 0, downDelayMs: 0, xmitHashPolicy: 0, lacpRate: 0 };
    visitAttributes(view, start, end, (type, at) => {
      if (type === IFLA_BOND_MODE) bond.mode = view.getUint8(at);
      if (type === IFLA_BOND_MIIMON) bond.miimonMs = view.getUint32(at, true);
      if (type === IFLA_BOND_UPDELAY) bond.upDelayMs = view.getUint32(at, true);
      if (type === IFLA_BOND_DOWNDELAY) bond.downDelayMs = view.getUint32(at, true);
      if (type === IFLA_BOND_XMIT_HASH_POLICY) bond.xmitHashPolicy = view.getUint8(at);
      if (type === IFLA_BOND_AD_LACP_RATE) bond.lacpRate = view.getUint8(at);
    });
    return { bond };
  },
};

/** Writes what goes into IFLA_LINKINFO; `writePeer` writes the header and attributes of the other end of a veth. */
export function writeLinkInfo(
  writer: PayloadWriter,
  info: RtnlLinkKind,
  writePeer: (peer: RtnlLinkRequest) => void,
): void {
  writer.text(IFLA_INFO_KIND, info.kind);
  switch (info.kind) {
    case "veth": {
      const { peer } = info;
      if (peer === undefined) return;
      writer.nest(IFLA_INFO_DATA, () => writer.nest(VETH_INFO_PEER, () => writePeer(peer)));
      return;
    }
    case "vlan":
      writer.nest(IFLA_INFO_DATA, () => {
        writer.u16(IFLA_VLAN_ID, info.vlan.id);
        writer.u16be(IFLA_VLAN_PROTOCOL, info.vlan.protocol ?? ETH_P_8021Q);
      });
      return;
    case "bridge":
      writer.nest(IFLA_INFO_DATA, () => writeBridge(writer, info.bridge ?? {}));
      return;
    case "bond":
      writer.nest(IFLA_INFO_DATA, () => writeBond(writer, info.bond ?? {}));
      return;
    case "macvlan": {
      const mode = info.macvlanMode;
      if (mode !== undefined) writer.nest(IFLA_INFO_DATA, () => writer.u32(IFLA_MACVLAN_MODE, mode));
      return;
    }
    default:
  }
}

function writeBridge(writer: PayloadWriter, bridge: Partial<RtnlBridge>): void {
  if (bridge.stp !== undefined) writer.u32(IFLA_BR_STP_STATE, Number(bridge.stp));
  if (bridge.vlanFiltering !== undefined) writer.u8(IFLA_BR_VLAN_FILTERING, Number(bridge.vlanFiltering));
  if (bridge.multicastSnooping !== undefined) writer.u8(IFLA_BR_MCAST_SNOOPING, Number(bridge.multicastSnooping));
}

function writeBond(writer: PayloadWriter, bond: Partial<RtnlBond>): void {
  if (bond.mode !== undefined) writer.u8(IFLA_BOND_MODE, bond.mode);
  if (bond.miimonMs !== undefined) writer.u32(IFLA_BOND_MIIMON, bond.miimonMs);
  if (bond.upDelayMs !== undefined) writer.u32(IFLA_BOND_UPDELAY, bond.upDelayMs);
  if (bond.downDelayMs !== undefined) writer.u32(IFLA_BOND_DOWNDELAY, bond.downDelayMs);
  if (bond.xmitHashPolicy !== undefined) writer.u8(IFLA_BOND_XMIT_HASH_POLICY, bond.xmitHashPolicy);
  if (bond.lacpRate !== undefined) writer.u8(IFLA_BOND_AD_LACP_RATE, bond.lacpRate);
}
