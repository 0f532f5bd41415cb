import { field, record } from "../../mod/schema/mod.ts";
import { routingTable } from "./routing_table.ts";

/** VLAN tags, ETH_P_8021Q and ETH_P_8021AD of linux/if_ether.h. */
export const VLAN_PROTOCOLS = { "802.1q": 0x8100, "802.1ad": 0x88a8 } as const;

/** Settings of a VLAN link. */
export interface VlanSpec {
  /** 1 … 4094. */
  vlanID: number;
  vlanProtocol: keyof typeof VLAN_PROTOCOLS;
}

/** The fields of {@link VlanSpec}. */
export const VLAN = record<VlanSpec>()({ vlanID: field.uint32(1), vlanProtocol: field.oneOf(2, VLAN_PROTOCOLS) });

/** Settings of a bridge. */
export interface BridgeMasterSpec {
  stp: { enabled: boolean };
  vlan: { filteringEnabled: boolean };
}

const STP = record<BridgeMasterSpec["stp"]>()({ enabled: field.bool(1) });
const BRIDGE_VLAN = record<BridgeMasterSpec["vlan"]>()({ filteringEnabled: field.bool(1) });

/** The fields of {@link BridgeMasterSpec}. */
export const BRIDGE_MASTER = record<BridgeMasterSpec>()({
  stp: field.record(1, STP, { omitEmpty: true }),
  vlan: field.record(2, BRIDGE_VLAN, { omitEmpty: true }),
});

/** Settings of a VRF. */
export interface VrfMasterSpec {
  /** Routing table of its own. */
  table: string;
}

/** The fields of {@link VrfMasterSpec}. */
export const VRF_MASTER = record<VrfMasterSpec>()({ table: routingTable(1) });

/** Settings of one end of a virtual Ethernet pair. */
export interface VethSpec {
  peerName: string;
}

/** The fields of {@link VethSpec}. */
export const VETH = record<VethSpec>()({ peerName: field.string(1, { omitEmpty: true }) });

/** Membership in a bridge or a VRF. */
export interface LinkSlave {
  masterName: string;
}

/** The fields of {@link LinkSlave}. */
export const LINK_SLAVE = record<LinkSlave>()({ masterName: field.string(1, { omitEmpty: true }) });

/** Membership in a bond. */
export interface BondSlave extends LinkSlave {
  /** Place in the order of the members. */
  slaveIndex: number;
}

/** The fields of {@link BondSlave}. */
export const BOND_SLAVE = record<BondSlave>()({
  masterName: field.string(1, { omitEmpty: true }),
  slaveIndex: field.int64(2, { omitEmpty: true }),
});
