import { type Controller, defineController, exclusive, type WakeSource, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, MachineConfigs } from "../../resources/config/machine_config.ts";
import { NETWORK_STATUS_ID, type NetworkStatus, NetworkStatuses } from "../../resources/network/network_status.ts";
import {
  MACHINE_STATUS_ID,
  type MachineStatus,
  MachineStatuses,
  type UnmetCondition,
} from "../../resources/runtime/machine_status.ts";
import { type Service, Services } from "../../resources/v1alpha1/service.ts";

/** What the sequencer is busy with. */
export interface StageSource extends WakeSource {
  /** The running sequence, undefined when none runs. */
  sequence(): "boot" | "reboot" | "shutdown" | undefined;
}

/** Stage of the machine, and what keeps it from being ready. `onChange` gets each new status. */
export function machineStatusController(stages: StageSource, onChange: (status: MachineStatus) => void): Controller {
  return defineController({
    name: "runtime.MachineStatusController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID }), weak(NetworkStatuses), weak(Services)],
    outputs: [exclusive(MachineStatuses)],
    wakeOn: [stages],
    async reconcile(r) {
      const hasConfig = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID) !== undefined;
      const network = await r.get(NetworkStatuses, NETWORK_STATUS_ID);
      const services = (await r.list(Services)).map(({ metadata: { id }, spec }) => ({ id, ...spec }));
      const unmetConditions = unmet(network?.spec, services);
      const status: MachineStatus = {
        stage: stage(stages.sequence(), hasConfig),
        status: { ready: hasConfig && unmetConditions.length === 0, unmetConditions },
      };
      const before = await r.get(MachineStatuses, MACHINE_STATUS_ID);
      const after = await r.modify(MachineStatuses, MACHINE_STATUS_ID, status);
      if (before?.metadata.version !== after.metadata.version) onChange(after.spec);
    },
  });
}

function stage(sequence: ReturnType<StageSource["sequence"]>, hasConfig: boolean): MachineStatus["stage"] {
  switch (sequence) {
    case "boot":
      return "booting";
    case "reboot":
      return "rebooting";
    case "shutdown":
      return "shutting down";
    case undefined:
      return hasConfig ? "running" : "maintenance";
  }
}

/** Pure: what is missing, network first. */
export function unmet(
  network: NetworkStatus | undefined,
  services: readonly (Service & { readonly id: string })[],
): UnmetCondition[] {
  const conditions: UnmetCondition[] = [];
  const missing = Object.entries({
    address: network?.addressReady,
    hostname: network?.hostnameReady,
    "files of /etc": network?.etcFilesReady,
  }).filter(([, ready]) => !ready).map(([name]) => name);
  if (missing.length > 0) conditions.push({ name: "network", reason: `waits for ${missing.join(", ")}` });
  for (const { id, running, healthy, unknown } of services) {
    if (!running) conditions.push({ name: `service ${id}`, reason: "does not run" });
    else if (!healthy && !unknown) conditions.push({ name: `service ${id}`, reason: "is not healthy" });
  }
  return conditions;
}
