import type { NetlinkRequest } from "../../kernel/netlink.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import { IFF_MULTICAST, IFF_UP, type RtnlLink, type RtnlLinkRequest } from "../../kernel/rtnetlink/link.ts";
import type { RtnlLinkKind } from "../../kernel/rtnetlink/link_info.ts";
import { addLinkRequest, deleteLinkRequest, setLinkRequest } from "../../kernel/rtnetlink/request.ts";
import { type Controller, defineController, strong } from "../../mod/cosi/mod.ts";
import { VLAN_PROTOCOLS } from "../../resources/network/link_kind.ts";
import { type LinkSpec, LinkSpecs } from "../../resources/network/link_spec.ts";
import { Applier, type ObjectPlan, type Planner } from "./apply.ts";
import type { LinkView, NetworkView } from "./network_view.ts";

const NAME = "network.LinkSpecController";

/** Loads what the kernel needs to make links of a kind. @throws {SyscallError} */
export type LoadLinkKind = (kind: string) => Promise<void>;

/**
 * Makes logical links and sets up all of them.
 * @param loadKind left out where the kernel is not ours to load modules into
 */
export function linkSpecController(
  conn: Pick<RtnlConn, "batch">,
  view: NetworkView,
  loadKind: LoadLinkKind = () => Promise.resolve(),
): Controller {
  const applier = new Applier(NAME, LinkSpecs, conn);
  const loaded = new Set<string>();
  return defineController({
    name: NAME,
    inputs: [strong(LinkSpecs)],
    outputs: [],
    wakeOn: [view.linkFeed],
    async reconcile(r) {
      view.refresh();
      for (const { spec } of await r.list(LinkSpecs)) {
        if (!spec.logical || loaded.has(spec.kind) || findLink(spec, view) !== undefined) continue;
        loaded.add(spec.kind);
        try {
          await loadKind(spec.kind);
        } catch (error) {
          // the kernel may have it built in; if not, making the link says so
          r.log(`link kind "${spec.kind}": ${error instanceof Error ? error.message : error}`);
        }
      }
      await applier.apply(r, linkPlanner(view));
      view.refresh(); // whoever waits for the link hears of it without a turn of the reactor
    },
  });
}

/** Pure: what each wished link needs, given what the kernel has. */
export function linkPlanner(view: LinkView): Planner<LinkSpec> {
  return {
    wanted: (spec) => planLink(spec, view),
    unwanted: (spec) => planLinkEnd(spec, view),
    rank: ({ kind }) => MASTER_KINDS.has(kind) ? 0 : 1,
  };
}

const MASTER_KINDS: ReadonlySet<string> = new Set(["bond", "bridge", "vrf"]);
/** Kinds that come up with defaults of the kernel when nothing is said about them. */
const PLAIN_KINDS = { dummy: { kind: "dummy" }, veth: { kind: "veth" }, bridge: { kind: "bridge" } } as const;

function planLink(spec: LinkSpec, view: LinkView): ObjectPlan {
  const link = findLink(spec, view);
  if (!spec.logical) return { requests: link === undefined ? [] : changes(spec, link, view) };
  if (link !== undefined && isSameKind(spec, link)) return { requests: changes(spec, link, view) };
  const kind = kernelKind(spec, view);
  if (kind === undefined) return { requests: [] };
  if (kind === "unknown") {
    return { requests: [], problem: `Cannot make link "${spec.name}": kind "${spec.kind}" is not known here` };
  }
  const make = [addLinkRequest({ ...kind, name: spec.name }), ...changes(spec, undefined, view)];
  return { requests: link === undefined ? make : [deleteLinkRequest({ index: link.index }), ...make] };
}

/** A card goes by any of its names; a link that is ours by the one that it was made with. */
function findLink({ name, logical }: LinkSpec, view: LinkView): RtnlLink | undefined {
  const link = view.linkNamed(name);
  return logical && link?.name !== name ? undefined : link;
}

function planLinkEnd(spec: LinkSpec, view: LinkView): ObjectPlan {
  const link = findLink(spec, view);
  const isOurs = spec.logical && link !== undefined && isSameKind(spec, link);
  return { requests: isOurs ? [deleteLinkRequest({ index: link.index })] : [] };
}

function isSameKind(spec: LinkSpec, link: RtnlLink): boolean {
  if (link.kind !== spec.kind) return false;
  if (spec.vlan === undefined || link.vlan === undefined) return true;
  return link.vlan.id === spec.vlan.vlanID && link.vlan.protocol === VLAN_PROTOCOLS[spec.vlan.vlanProtocol];
}

/** Undefined while the link below is missing. */
function kernelKind(spec: LinkSpec, view: LinkView): (RtnlLinkKind & { linkIndex?: number }) | undefined | "unknown" {
  switch (spec.kind) {
    case "veth":
      return spec.veth === undefined ? PLAIN_KINDS.veth : { kind: "veth", peer: { name: spec.veth.peerName } };
    case "vlan": {
      const parent = view.linkNamed(spec.parentName ?? "");
      if (parent === undefined || spec.vlan === undefined) return undefined;
      const { vlanID: id, vlanProtocol } = spec.vlan;
      return { kind: "vlan", vlan: { id, protocol: VLAN_PROTOCOLS[vlanProtocol] }, linkIndex: parent.index };
    }
    case "bridge":
      return { kind: "bridge", bridge: kernelBridge(spec) };
    case "dummy":
      return PLAIN_KINDS.dummy;
    default:
      return "unknown";
  }
}

/** Only what differs from a new bridge, because kernels are built without VLAN filtering. */
function kernelBridge({ bridgeMaster }: LinkSpec): { stp?: true; vlanFiltering?: true } {
  return {
    ...(bridgeMaster?.stp.enabled ? { stp: true } : {}),
    ...(bridgeMaster?.vlan.filteringEnabled ? { vlanFiltering: true } : {}),
  };
}

/**
 * A request for each setting in which the link differs; all of them for a link that is made in the same batch. Each by
 * itself: a link whose MTU is refused must still come up, or nobody reaches the machine to mend its config.
 */
function changes(spec: LinkSpec, link: RtnlLink | undefined, view: LinkView): NetlinkRequest[] {
  const { up, mtu = 0, hardwareAddr, multicast } = spec;
  const master = spec.bondSlave ?? spec.bridgeSlave ?? spec.vrfSlave;
  const masterIndex = master && view.linkNamed(master.masterName)?.index;
  const settings: RtnlLinkRequest[] = [];
  if (hardwareAddr !== undefined && hardwareAddr !== link?.hardwareAddr) settings.push({ hardwareAddr });
  if (mtu !== 0 && mtu !== link?.mtu) settings.push({ mtu });
  if (multicast !== undefined && multicast !== hasFlag(link, IFF_MULTICAST)) settings.push({ multicast });
  if (masterIndex !== undefined && masterIndex !== link?.masterIndex) settings.push({ masterIndex });
  if (up !== undefined && up !== hasFlag(link, IFF_UP)) settings.push({ up });
  const which = link === undefined ? { name: spec.name } : { index: link.index };
  return settings.map((setting) => setLinkRequest({ ...which, ...setting }));
}

function hasFlag(link: RtnlLink | undefined, flag: number): boolean | undefined {
  return link && (link.flags & flag) !== 0;
}
