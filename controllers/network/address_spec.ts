import { IFF_LOOPBACK } from "../../kernel/rtnetlink/link.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import type { RtnlAddress, RtnlAddressRequest } from "../../kernel/rtnetlink/address.ts";
import { addAddressRequest, deleteAddressRequest } from "../../kernel/rtnetlink/request.ts";
import { type Controller, defineController, strong } from "../../mod/cosi/mod.ts";
import { formatAddress, parseAddress, parsePrefix } from "../../mod/netip/mod.ts";
import { flagBits } from "../../mod/schema/mod.ts";
import { ADDRESS_FLAGS } from "../../resources/network/address_flag.ts";
import { type AddressSpec, AddressSpecs } from "../../resources/network/address_spec.ts";
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
      await applier.apply(r, addressPlanner(view));
      view.refresh();
    },
  });
}

/** Pure: what each wished address needs, given what the kernel has. */
export function addressPlanner(view: AddressView): Planner<AddressSpec> {
  return {
    wanted: (spec) => planAddress(spec, view),
    unwanted: (spec) => planAddressEnd(spec, view),
    rank: () => 0,
  };
}

function planAddress(spec: AddressSpec, view: AddressView): ObjectPlan {
  const link = view.linkNamed(spec.linkName);
  if (link === undefined) return { requests: [] };
  const current = view.address(link.index, spec.address);
  if (current !== undefined && isAsWished(spec, current)) return { requests: [] };
  const isLoopback = (link.flags & IFF_LOOPBACK) !== 0;
  const add = addAddressRequest(kernelAddress(spec, link.index, isLoopback));
  return { requests: current === undefined ? [add] : [deleteAddressRequest(current), add] };
}

function planAddressEnd(spec: AddressSpec, view: AddressView): ObjectPlan {
  const link = view.linkNamed(spec.linkName);
  const current = link && view.address(link.index, spec.address);
  return { requests: current === undefined ? [] : [deleteAddressRequest(current)] };
}

/** Flags that stay as they were asked for; the others the kernel sets and clears as it works. */
const COMPARED_FLAGS = flagBits(ADDRESS_FLAGS, "nodad,homeaddress,mngmtmpaddr,noprefixroute,mcautojoin,stableprivacy");

function isAsWished(spec: AddressSpec, current: RtnlAddress): boolean {
  // the kernel reads the scope of an IPv6 address off the address
  if (spec.family === "inet4" && SCOPES[spec.scope] !== current.scope) return false;
  if (spec.priority !== 0 && spec.priority !== current.priority) return false;
  return ((flagBits(ADDRESS_FLAGS, spec.flags) ^ current.flags) & COMPARED_FLAGS) === 0;
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
