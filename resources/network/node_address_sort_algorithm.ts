import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";
import { ADDRESS_SORT_ALGORITHMS, type AddressSortAlgorithm } from "./node_address.ts";

/** Id of the one choice. */
export const NODE_ADDRESS_SORT_ALGORITHM_ID = "default";

/** How the node's addresses are ordered. */
export interface NodeAddressSortAlgorithm {
  algorithm: AddressSortAlgorithm;
}

export const NodeAddressSortAlgorithms = defineResource<NodeAddressSortAlgorithm>()({
  type: "NodeAddressSortAlgorithms.net.talos.dev",
  namespace: NETWORK,
  columns: [{ name: "Algorithm", path: "{.algorithm}" }],
  fields: { algorithm: field.oneOf(1, ADDRESS_SORT_ALGORITHMS) },
});
