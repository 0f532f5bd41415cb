import { type Controller, defineController, exclusive, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import {
  NODE_ADDRESS_SORT_ALGORITHM_ID,
  NodeAddressSortAlgorithms,
} from "../../resources/network/node_address_sort_algorithm.ts";

/** Takes the order of addresses out of the config; `v1` unless it says otherwise. */
export function nodeAddressSortAlgorithmController(): Controller {
  return defineController({
    name: "network.NodeAddressSortAlgorithmController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID })],
    outputs: [exclusive(NodeAddressSortAlgorithms)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const machine: object = (config && configOf(config).v1alpha1?.machine) ?? {};
      const isV2 = "features" in machine && hasSortV2(machine.features);
      await r.modify(NodeAddressSortAlgorithms, NODE_ADDRESS_SORT_ALGORITHM_ID, { algorithm: isV2 ? "v2" : "v1" });
    },
  });
}

function hasSortV2(features: unknown): boolean {
  return typeof features === "object" && features !== null && "nodeAddressSortAlgorithm" in features &&
    features.nodeAddressSortAlgorithm === "v2";
}
