import { IFF_LOOPBACK } from "../../kernel/rtnetlink/link.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import {
  IFA_F_DADFAILED,
  IFA_F_DEPRECATED,
  IFA_F_PERMANENT,
  IFA_F_TENTATIVE,
  LIFETIME_FOREVER,
  type RtnlAddress,
  type RtnlAddressRequest,
} from "../../kernel/rtnetlink/address.ts";
import { addAddressRequest, deleteAddressRequest, replaceAddressRequest } from "../../kernel/rtnetlink/request.ts";
import { type Controller, defineController, strong } from "../../mod/cosi/mod.ts";
import { formatAddress, parseAddress, parsePrefix } from "../../mod/netip/mod.ts";
import { flagBits } from "../../mod/schema/mod.ts";
import { ADDRESS_FLAGS } from "../../resources/network/address_flag.ts";
import { addressId, type AddressSpec, AddressSpecs } from "../../resources/network/address_spec.ts";
import { SCOPES } from "../../resources/network/scope.ts";
import { Applier, type ObjectPlan, type Planner } from "./apply.ts";
import type { AddressView, NetworkView } from "./network_view.ts";

const NAME = "network.AddressSpecController";

/** Gives links their addresses, and puts back what somebody else takes away. */
export function addressSpecController(conn: Pick<RtnlConn, "batch">, view: NetworkView): Controller {
  const applier = new Applier(NAME, AddressSpecs, conn);
  return defineController({
    name: NAME,
    inputs: [strong(AddressSpecs)],
    outputs: [],
    wakeOn: [view.linkFeed, view.addressFeed],
    async reconcile(r) {
      view.refresh();
      const wished = (await r.list(AddressSpecs)).filter(({ metadata }) => metadata.phase === "running");
      await applier.apply(r, addressPlanner(view, new Set(wished.map(({ metadata }) => metadata.id))));
      view.refresh();
    },
  });
}

/** Pure: what each wished address needs, given what the kernel has; `wished` are the ids of all that are wished. */
export function addressPlanner(view: AddressView, wished: ReadonlySet<string> = new Set()): Planner<AddressSpec> {
  return {
    wanted: (spec) => planAddress(spec, view, wished),
    unwanted: (spec) => planAddressEnd(spec, view),
    rank: () => 0,
  };
}

function planAddress(spec: AddressSpec, view: AddressView, wished: ReadonlySet<string>): ObjectPlan {
  const link = view.linkNamed(spec.linkName);
  if (link === undefined) return { requests: [] };
  const request = kernelAddress(spec, link.index, (link.flags & IFF_LOOPBACK) !== 0);
  const current = view.address(link.index, spec.address);
  if (current === undefined) return planNewAddress(spec, request, view, wished);
  if (!isSameKind(spec, current)) return { requests: [deleteAddressRequest(current), addAddressRequest(request)] };
  if (!isAsWished(spec, current)) return { requests: [replaceAddressRequest(request)] };
  if ((current.flags & IFA_F_DADFAILED) === 0) return { requests: [] };
  return { requests: [], problem: `Cannot use address "${spec.address}": another machine on the network has it` };
}

/** IPv6 has an address once a link: with another length (of DHCP, or of a config before this one) it has to go first. */
function planNewAddress(
  spec: AddressSpec,
  request: RtnlAddressRequest,
  view: AddressView,
  wished: ReadonlySet<string>,
): ObjectPlan {
  const add = addAddressRequest(request);
  const other = spec.family === "inet6" ? view.sameAddress(request.linkIndex, spec.address) : undefined;
  if (other === undefined) return { requests: [add] };
  if (wished.has(addressId(spec.linkName, other.prefix))) {
    return { requests: [], problem: `Cannot add address "${spec.address}": "${other.prefix}" is wished too` };
  }
  return { requests: [deleteAddressRequest(other), add] };
}

function planAddressEnd(spec: AddressSpec, view: AddressView): ObjectPlan {
  const link = view.linkNamed(spec.linkName);
  const current = link && view.address(link.index, spec.address);
  return { requests: current === undefined ? [] : [deleteAddressRequest(current)] };
}

/**
 * Flags that stay as they were asked for; the others the kernel sets and clears as it works. Whether duplicates were
 * looked for matters no more once the address is there.
 */
const COMPARED_FLAGS = flagBits(ADDRESS_FLAGS, "homeaddress,mngmtmpaddr,noprefixroute,mcautojoin,stableprivacy");

/** Whether it can become what is wished without going away in between, which would take routes and connections along. */
function isSameKind(spec: AddressSpec, current: RtnlAddress): boolean {
  // the kernel reads the scope of an IPv6 address off the address
  if (spec.family === "inet4" && SCOPES[spec.scope] !== current.scope) return false;
  if ((current.flags & IFA_F_TENTATIVE) !== 0 && !isAsWished(spec, current)) return false; // such changes are not told
  return ((flagBits(ADDRESS_FLAGS, spec.flags) ^ current.flags) & COMPARED_FLAGS) === 0;
}

/** An address that somebody gave for a while, such as an initrd with DHCP, must not end with that while. */
function isAsWished(spec: AddressSpec, current: RtnlAddress): boolean {
  if (spec.priority !== 0 && spec.priority !== current.priority) return false;
  if ((flagBits(ADDRESS_FLAGS, spec.flags) & IFA_F_PERMANENT) === 0) return true;
  return (current.flags & (IFA_F_PERMANENT | IFA_F_DEPRECATED)) === IFA_F_PERMANENT &&
    current.preferredSeconds === LIFETIME_FOREVER;
}

function kernelAddress(spec: AddressSpec, linkIndex: number, isLoopback: boolean): RtnlAddressRequest {
  const { address: prefix, scope, flags, priority, family } = spec;
  const broadcast = family === "inet4" && !isLoopback ? broadcastOf(prefix) : "";
  return { linkIndex, prefix, scope: SCOPES[scope], flags: flagBits(ADDRESS_FLAGS, flags), priority, broadcast };
}

/** The last address of an IPv4 network; networks of two addresses or one have none. */
function broadcastOf(prefix: string): string {
  const { address, bits } = parsePrefix(prefix);
  if (bits > 30) return "";
  const bytes = parseAddress(address);
  return formatAddress(bytes.map((octet, at) => octet | (0xff >> Math.min(8, Math.max(0, bits - 8 * at)))));
}
