import { type Controller, defineController, exclusive, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { MACHINE_TYPE_ID, MachineTypes } from "../../resources/config/machine_type.ts";

/** Takes the machine's role out of its config; `unknown` until there is one. */
export function machineTypeController(): Controller {
  return defineController({
    name: "config.MachineTypeController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID })],
    outputs: [exclusive(MachineTypes)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const machineType = (config && configOf(config).v1alpha1?.machine?.type) ?? "unknown";
      await r.modify(MachineTypes, MACHINE_TYPE_ID, { machineType });
    },
  });
}
