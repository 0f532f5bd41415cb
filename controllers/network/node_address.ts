import { type Controller, defineController, exclusive, type Resource, weak } from "../../mod/cosi/mod.ts";
import {
  compareAddresses,
  comparePrefixes,
  isLinkLocal,
  isLoopback,
  isMulticast,
  parsePrefix,
  prefixContains,
} from "../../mod/netip/mod.ts";
import { type AddressStatus, AddressStatuses } from "../../resources/network/address_status.ts";
import { isPhysicalLink, type LinkStatus, LinkStatuses } from "../../resources/network/link_status.ts";
import {
  ACCUMULATIVE_NODE_ADDRESS_ID,
  type AddressSortAlgorithm,
  CURRENT_NODE_ADDRESS_ID,
  DEFAULT_NODE_ADDRESS_ID,
  type NodeAddress,
  NodeAddresses,
  ROUTED_NODE_ADDRESS_ID,
} from "../../resources/network/node_address.ts";
import {
  NODE_ADDRESS_SORT_ALGORITHM_ID,
  NodeAddressSortAlgorithms,
} from "../../resources/network/node_address_sort_algorithm.ts";
import { SCOPES } from "../../resources/network/scope.ts";

/** Pseudo link of addresses that reach the node from outside, such as a cloud's public address. */
const EXTERNAL_LINK = "external";

/** Sums up the node's addresses. */
export function nodeAddressController(): Controller {
  return defineController({
    name: "network.NodeAddressController",
    inputs: [
      weak(AddressStatuses),
      weak(LinkStatuses),
      weak(NodeAddressSortAlgorithms, { id: NODE_ADDRESS_SORT_ALGORITHM_ID }),
    ],
    outputs: [exclusive(NodeAddresses)],
    async reconcile(r) {
      const algorithm = await r.get(NodeAddressSortAlgorithms, NODE_ADDRESS_SORT_ALGORITHM_ID);
      if (algorithm === undefined) return;
      const links = new Map((await r.list(LinkStatuses)).map(({ metadata, spec }) => [metadata.id, spec]));
      const addresses = (await r.list(AddressStatuses)).map(({ spec }) => spec);
      const known = await r.list(NodeAddresses);
      const wanted = nodeAddresses(addresses, links, algorithm.spec.algorithm, new Map(known.map(entryOf)));
      await r.sync(NodeAddresses, [...wanted].map(([id, spec]) => ({ id, spec })));
    },
  });
}

function entryOf({ metadata, spec }: Resource<NodeAddress>): [string, NodeAddress] {
  return [metadata.id, spec];
}

/** Pure: the sets of addresses, given what they were before. A node without addresses has no default. */
export function nodeAddresses(
  addresses: readonly AddressStatus[],
  links: ReadonlyMap<string, LinkStatus>,
  sortAlgorithm: AddressSortAlgorithm,
  before: ReadonlyMap<string, NodeAddress>,
): Map<string, NodeAddress> {
  const sorted = (prefixes: readonly string[]) => sortAddresses(prefixes, sortAlgorithm);
  const set = (prefixes: readonly string[]): NodeAddress => ({ addresses: sorted(prefixes), sortAlgorithm });
  const usable = addresses.filter(isUsable);
  const present = usable.filter(({ linkName }) => linkName === EXTERNAL_LINK || isUp(links.get(linkName)));
  const own = present.filter(({ linkName }) => linkName !== EXTERNAL_LINK);
  const current = present.map(({ address }) => address);
  const sets = new Map<string, NodeAddress>();
  const first = defaultAddress(usable, before.get(DEFAULT_NODE_ADDRESS_ID), sortAlgorithm);
  if (first !== undefined) sets.set(DEFAULT_NODE_ADDRESS_ID, { addresses: [first], sortAlgorithm });
  sets.set(CURRENT_NODE_ADDRESS_ID, set(current));
  sets.set(ROUTED_NODE_ADDRESS_ID, set(own.map(({ address }) => address)));
  const ever = before.get(ACCUMULATIVE_NODE_ADDRESS_ID)?.addresses ?? [];
  sets.set(ACCUMULATIVE_NODE_ADDRESS_ID, set([...ever, ...usable.map(({ address }) => address)]));
  return sets;
}

/** The one that was, while it is there; else the first on the first link by name. */
function defaultAddress(
  usable: readonly AddressStatus[],
  before: NodeAddress | undefined,
  sortAlgorithm: AddressSortAlgorithm,
): string | undefined {
  const own = usable.filter(({ linkName }) => linkName !== EXTERNAL_LINK);
  const [old] = before?.addresses ?? [];
  if (before?.sortAlgorithm === sortAlgorithm && own.some(({ address }) => address === old)) return old;
  const linkName = own.map((address) => address.linkName).sort()[0];
  const there = own.filter((address) => address.linkName === linkName).map(({ address }) => address);
  return sortAddresses(there, sortAlgorithm)[0];
}

/** Reaches beyond its link, and no other machine has it. */
function isUsable({ address: prefix, scope, flags }: AddressStatus): boolean {
  const { address } = parsePrefix(prefix);
  if (flags.includes("dadfailed")) return false;
  return SCOPES[scope] < SCOPES.link && !isLoopback(address) && !isMulticast(address) && !isLinkLocal(address);
}

function isUp(link: LinkStatus | undefined): boolean {
  if (link === undefined) return false;
  const isOperational = link.operationalState === "up" || link.operationalState === "unknown";
  return isOperational && (link.linkState || !isPhysicalLink(link));
}

/** Each once; the second order starts from the first, as it does not tell all pairs apart. */
function sortAddresses(prefixes: readonly string[], algorithm: AddressSortAlgorithm): string[] {
  const byAddress = [...new Set(prefixes)].sort(comparePrefixes);
  return algorithm === "v1" ? byAddress : byAddress.sort(compareBySpecificity);
}

/** IPv4 first; an address in the network of another one before that; else by address. */
function compareBySpecificity(a: string, b: string): number {
  const [left, right] = [parsePrefix(a), parsePrefix(b)];
  if (left.address === right.address) return right.bits - left.bits;
  const isInRight = prefixContains(b, left.address);
  if (isInRight !== prefixContains(a, right.address)) return isInRight ? -1 : 1;
  return compareAddresses(left.address, right.address);
}
