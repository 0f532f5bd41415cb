import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** Id of the one machine type. */
export const MACHINE_TYPE_ID = "machine-type";

/** Roles of a machine in its cluster. `init` is an old word for the first control plane node. */
export const MACHINE_TYPES = { unknown: 0, init: 1, controlplane: 2, worker: 3 } as const;

/** The role of this machine. */
export interface MachineType {
  machineType: keyof typeof MACHINE_TYPES;
}

export const MachineTypes = defineResource<MachineType>()({
  type: "MachineTypes.config.talos.dev",
  namespace: "config",
  columns: [{ name: "Type", path: "{@}" }],
  fields: { machineType: field.oneOf(1, MACHINE_TYPES) },
  plain: ({ machineType }) => machineType,
});
