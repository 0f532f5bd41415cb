import { defineResource } from "../../mod/cosi/mod.ts";
import { field, record, toPlain } from "../../mod/schema/mod.ts";
import { BOND_MASTER, type BondMasterSpec } from "./bond_master.ts";
import { CONFIG_LAYERS, type ConfigLayer, NETWORK } from "./layer.ts";
import {
  BOND_SLAVE,
  type BondSlave,
  BRIDGE_MASTER,
  type BridgeMasterSpec,
  LINK_SLAVE,
  type LinkSlave,
  VETH,
  type VethSpec,
  VLAN,
  type VlanSpec,
  VRF_MASTER,
  type VrfMasterSpec,
} from "./link_kind.ts";
import { LINK_TYPES, type LinkType } from "./link_word.ts";
import { WIREGUARD, type WireguardSpec } from "./wireguard.ts";

/**
 * How a link must be. An optional field that is absent says nothing, which differs from off or zero; its id is the
 * link's name.
 */
export interface LinkSpec {
  /** Kernel name; for a physical link also alias or altname. */
  name: string;
  /** The link exists only because it is asked for, and goes when nobody asks any more. */
  logical: boolean;
  up?: boolean;
  mtu?: number;
  /** Kernel kind of a logical link, such as `dummy`; empty for a physical one. */
  kind: string;
  /** `netrom`, the kernel's zero, says nothing. */
  type: LinkType;
  hardwareAddr?: string;
  /** The link below a VLAN. */
  parentName?: string;
  bondSlave?: BondSlave;
  bridgeSlave?: LinkSlave;
  vrfSlave?: LinkSlave;
  vlan?: VlanSpec;
  bondMaster?: BondMasterSpec;
  bridgeMaster?: BridgeMasterSpec;
  vrfMaster?: VrfMasterSpec;
  wireguard?: WireguardSpec;
  veth?: VethSpec;
  layer: ConfigLayer;
  multicast?: boolean;
}

const FIELDS = {
  name: field.string(1),
  logical: field.bool(2),
  up: field.optional(field.bool(3)),
  mtu: field.optional(field.uint32(4)),
  kind: field.string(5),
  type: field.oneOf(6, LINK_TYPES),
  hardwareAddr: field.optional(field.mac(15)),
  parentName: field.optional(field.string(7)),
  bondSlave: field.optional(field.record(8, BOND_SLAVE)),
  bridgeSlave: field.optional(field.record(9, LINK_SLAVE)),
  vrfSlave: field.optional(field.record(18, LINK_SLAVE)),
  vlan: field.optional(field.record(10, VLAN)),
  bondMaster: field.optional(field.record(11, BOND_MASTER)),
  bridgeMaster: field.optional(field.record(12, BRIDGE_MASTER)),
  vrfMaster: field.optional(field.record(17, VRF_MASTER)),
  wireguard: field.optional(field.record(13, WIREGUARD)),
  veth: field.optional(field.record(19, VETH)),
  layer: field.oneOf(14, CONFIG_LAYERS),
  multicast: field.optional(field.bool(16)),
};
const SHAPE = record<LinkSpec>()(FIELDS);

export const LinkSpecs = defineResource<LinkSpec>()({
  type: "LinkSpecs.net.talos.dev",
  namespace: NETWORK,
  sensitive: true,
  fields: FIELDS,
  plain: (spec) =>
    // Talos' YAML has the members of the bond membership beside the other keys
    Object.fromEntries(
      Object.entries(toPlain(SHAPE, spec)).flatMap(([key, value]) =>
        key === "bondSlave" ? Object.entries(value as object) : [[key, value]]
      ),
    ),
});
