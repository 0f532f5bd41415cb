import { type Controller, defineController, shared, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { KernelParamSpecs } from "../../resources/runtime/kernel_param_spec.ts";
import { sysctlId } from "./sysctl.ts";

/** `machine.sysctls` of the config, each a kernel parameter. */
export function kernelParamConfigController(): Controller {
  return defineController({
    name: "runtime.KernelParamConfigController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID })],
    outputs: [shared(KernelParamSpecs)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const sysctls = (config && configOf(config).v1alpha1?.machine?.sysctls) ?? {};
      // a parameter may stand there twice, with dots and with slashes
      const values = new Map(Object.entries(sysctls).map(([name, value]) => [sysctlId(name), value]));
      await r.sync(KernelParamSpecs, [...values].map(([id, value]) => ({ id, spec: { value, ignoreErrors: false } })));
    },
  });
}
