import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";

/** The node's first address, which stays until it disappears. */
export const DEFAULT_NODE_ADDRESS_ID = "default";
/** What is on links that are up. */
export const CURRENT_NODE_ADDRESS_ID = "current";
/** `current` without what lies outside of the machine: what services listen on and announce. */
export const ROUTED_NODE_ADDRESS_ID = "routed";
/** Every address that the node ever had, on links that were down too. */
export const ACCUMULATIVE_NODE_ADDRESS_ID = "accumulative";

/** Orders of addresses: by address, or an address before the one whose network it is in. */
export const ADDRESS_SORT_ALGORITHMS = { v1: 0, v2: 1 } as const;

/** A word of {@link ADDRESS_SORT_ALGORITHMS}. */
export type AddressSortAlgorithm = keyof typeof ADDRESS_SORT_ALGORITHMS;

/** A set of addresses of this node. */
export interface NodeAddress {
  /** CIDR texts with host bits, sorted. */
  addresses: readonly string[];
  sortAlgorithm: AddressSortAlgorithm;
}

export const NodeAddresses = defineResource<NodeAddress>()({
  type: "NodeAddresses.net.talos.dev",
  namespace: NETWORK,
  columns: [{ name: "Addresses", path: "{.addresses}" }, { name: "SortAlgorithm", path: "{.sortAlgorithm}" }],
  fields: { addresses: field.list(1, field.prefix()), sortAlgorithm: field.oneOf(2, ADDRESS_SORT_ALGORITHMS) },
});
