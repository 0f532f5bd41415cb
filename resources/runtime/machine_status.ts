import { defineResource } from "../../mod/cosi/mod.ts";
import { field, record } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** Id of the one status. */
export const MACHINE_STATUS_ID = "machine";

/** What the machine is busy with. */
export const MACHINE_STAGES = {
  unknown: 0,
  booting: 1,
  installing: 2,
  maintenance: 3,
  running: 4,
  rebooting: 5,
  "shutting down": 6,
  resetting: 7,
  upgrading: 8,
} as const;

/** Something that keeps the machine from being ready. */
export interface UnmetCondition {
  name: string;
  reason: string;
}

/** Stage and readiness of the machine. */
export interface MachineStatus {
  stage: keyof typeof MACHINE_STAGES;
  status: { ready: boolean; unmetConditions: readonly UnmetCondition[] };
}

const UNMET_CONDITION = record<UnmetCondition>()({ name: field.string(1), reason: field.string(2) });
const STATUS = record<MachineStatus["status"]>()({
  ready: field.bool(1),
  unmetConditions: field.list(2, field.record(0, UNMET_CONDITION)),
});

export const MachineStatuses = defineResource<MachineStatus>()({
  type: "MachineStatuses.runtime.talos.dev",
  namespace: RUNTIME,
  columns: [{ name: "Stage", path: "{.stage}" }, { name: "Ready", path: "{.status.ready}" }],
  fields: { stage: field.oneOf(1, MACHINE_STAGES), status: field.record(2, STATUS) },
});
