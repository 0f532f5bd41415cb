import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { BOND_MASTER, type BondMasterSpec } from "./bond_master.ts";
import { NETWORK } from "./layer.ts";
import {
  BRIDGE_MASTER,
  type BridgeMasterSpec,
  VETH,
  type VethSpec,
  VLAN,
  type VlanSpec,
  VRF_MASTER,
  type VrfMasterSpec,
} from "./link_kind.ts";
import {
  type Duplex,
  DUPLEXES,
  LINK_FLAGS,
  LINK_TYPES,
  type LinkType,
  OPERATIONAL_STATES,
  type OperationalState,
  type Port,
  PORTS,
} from "./link_word.ts";
import { WIREGUARD, type WireguardSpec } from "./wireguard.ts";

/** A link that the kernel has; its id is the kernel's name. What is not known is empty text or zero. */
export interface LinkStatus {
  alias: string;
  altNames: readonly string[];
  index: number;
  type: LinkType;
  /** Index of the link below or of the peer; 0 for none. */
  linkIndex: number;
  /** Names of `LINK_FLAGS`, joined with `,`. */
  flags: string;
  hardwareAddr: string;
  permanentAddr: string;
  broadcastAddr: string;
  mtu: number;
  queueDisc: string;
  /** Index of the bond, bridge or VRF; 0 for none. */
  masterIndex: number;
  operationalState: OperationalState;
  kind: string;
  slaveKind: string;
  busPath: string;
  pciID: string;
  driver: string;
  driverVersion: string;
  firmwareVersion: string;
  productID: string;
  vendorID: string;
  product: string;
  vendor: string;
  /** Whether there is a carrier. */
  linkState: boolean;
  speedMbit: number;
  port: Port;
  duplex: Duplex;
  vlan?: VlanSpec;
  bridgeMaster?: BridgeMasterSpec;
  bondMaster?: BondMasterSpec;
  vrfMaster?: VrfMasterSpec;
  wireguard?: WireguardSpec;
  veth?: VethSpec;
}

const omitEmpty = { omitEmpty: true };

export const LinkStatuses = defineResource<LinkStatus>()({
  type: "LinkStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["link", "links"],
  columns: [
    { name: "Alias", path: "{.alias}" },
    { name: "Type", path: "{.type}" },
    { name: "Kind", path: "{.kind}" },
    { name: "Hw Addr", path: "{.hardwareAddr}" },
    { name: "Oper State", path: "{.operationalState}" },
    { name: "Link State", path: "{.linkState}" },
  ],
  fields: {
    alias: field.string(31, omitEmpty),
    altNames: field.list(32, field.string(), omitEmpty),
    index: field.uint32(1),
    type: field.oneOf(2, LINK_TYPES),
    linkIndex: field.uint32(3),
    flags: field.flags(4, LINK_FLAGS),
    hardwareAddr: field.mac(5),
    permanentAddr: field.mac(30),
    broadcastAddr: field.mac(6),
    mtu: field.uint32(7),
    queueDisc: field.string(8),
    masterIndex: field.uint32(9, omitEmpty),
    operationalState: field.oneOf(10, OPERATIONAL_STATES),
    kind: field.string(11),
    slaveKind: field.string(12),
    busPath: field.string(13, omitEmpty),
    pciID: field.string(14, omitEmpty),
    driver: field.string(15, omitEmpty),
    driverVersion: field.string(16, omitEmpty),
    firmwareVersion: field.string(17, omitEmpty),
    productID: field.string(18, omitEmpty),
    vendorID: field.string(19, omitEmpty),
    product: field.string(20, omitEmpty),
    vendor: field.string(21, omitEmpty),
    linkState: field.bool(22),
    speedMbit: field.int64(23, omitEmpty),
    port: field.oneOf(24, PORTS),
    duplex: field.oneOf(25, DUPLEXES),
    vlan: field.optional(field.record(26, VLAN)),
    bridgeMaster: field.optional(field.record(27, BRIDGE_MASTER)),
    bondMaster: field.optional(field.record(28, BOND_MASTER)),
    vrfMaster: field.optional(field.record(33, VRF_MASTER)),
    wireguard: field.optional(field.record(29, WIREGUARD)),
    veth: field.optional(field.record(34, VETH)),
  },
});

/** Whether it is a network card and nothing made by software. */
export function isPhysicalLink(link: LinkStatus): boolean {
  return link.type === "ether" && link.kind === "";
}
