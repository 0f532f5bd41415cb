import type { RtnlLink } from "../../kernel/rtnetlink/link.ts";
import type { Controller, Wanted } from "../../mod/cosi/mod.ts";
import { VLAN_PROTOCOLS } from "../../resources/network/link_kind.ts";
import { type LinkStatus, LinkStatuses } from "../../resources/network/link_status.ts";
import { LINK_FLAGS, LINK_TYPES, type LinkType, OPERATIONAL_STATES } from "../../resources/network/link_word.ts";
import { kernelStatusController } from "./kernel_status.ts";
import type { LinkView, NetworkView } from "./network_view.ts";
import { type LinkHardware, linkHardware, NO_HARDWARE } from "./link_hardware.ts";
import { FlagNames, Words } from "./words.ts";

/** Shows the links that the kernel has; `hardwareOf` tells of the device behind a network card. */
export function linkStatusController(view: NetworkView, hardwareOf = linkHardware): Controller {
  const statuses = (link: RtnlLink): Wanted<LinkStatus>[] => {
    const isCard = link.kind === "" && link.type === LINK_TYPES.ether;
    return [{ id: link.name, spec: linkStatus(link, view, isCard ? hardwareOf(link.name) : NO_HARDWARE) }];
  };
  return kernelStatusController("network.LinkStatusController", LinkStatuses, {
    feed: view.linkFeed,
    statuses(key) {
      const link = view.link(Number(key));
      return link === undefined ? [] : statuses(link);
    },
    *all() {
      for (const link of view.links()) yield [String(link.index), statuses(link)];
    },
  });
}

const types = new Words<LinkType>(LINK_TYPES, "void");
const states = new Words(OPERATIONAL_STATES, "unknown");
const vlanProtocols = new Words(VLAN_PROTOCOLS, "802.1q");
const flagNames = new FlagNames(LINK_FLAGS);

/** Pure: what is shown of a link. What only ethtool knows (connector, duplex, names of products) is not there. */
export function linkStatus(link: RtnlLink, view: LinkView, hardware: LinkHardware = NO_HARDWARE): LinkStatus {
  const { vlan, bridge } = link;
  // the other end of a veth that is in another namespace has no name here
  const peer = link.kind === "veth" && link.linkNetnsId < 0 ? view.link(link.linkIndex)?.name : undefined;
  return {
    alias: link.alias,
    altNames: link.altNames,
    index: link.index,
    type: types.word(link.type),
    linkIndex: link.linkIndex,
    flags: flagNames.text(link.flags),
    hardwareAddr: macText(link.hardwareAddr),
    permanentAddr: macText(link.permanentAddr),
    broadcastAddr: macText(link.broadcastAddr),
    mtu: link.mtu,
    queueDisc: link.queueDisc,
    masterIndex: link.masterIndex,
    operationalState: states.word(link.operState),
    kind: link.kind,
    slaveKind: link.slaveKind,
    ...UNKNOWN,
    ...hardware,
    linkState: link.hasCarrier,
    ...(vlan === undefined ? {} : { vlan: { vlanID: vlan.id, vlanProtocol: vlanProtocols.word(vlan.protocol) } }),
    ...(bridge === undefined
      ? {}
      : { bridgeMaster: { stp: { enabled: bridge.stp }, vlan: { filteringEnabled: bridge.vlanFiltering } } }),
    ...(peer === undefined ? {} : { veth: { peerName: peer } }),
  };
}

const UNKNOWN = {
  driverVersion: "",
  firmwareVersion: "",
  productID: "",
  vendorID: "",
  product: "",
  vendor: "",
  port: "Other",
  duplex: "Unknown",
} as const;

/** Tunnels have addresses of other lengths, which are no hardware addresses. */
function macText(text: string): string {
  return text.length === 17 || text.length === 23 || text.length === 59 ? text : "";
}
