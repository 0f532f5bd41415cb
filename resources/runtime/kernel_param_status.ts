import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** A kernel parameter that was set; the id is that of the wish. */
export interface KernelParamStatus {
  current: string;
  /** What it was before anything was set. */
  default: string;
  /** The kernel does not know it. */
  unsupported: boolean;
}

export const KernelParamStatuses = defineResource<KernelParamStatus>()({
  type: "KernelParamStatuses.runtime.talos.dev",
  namespace: RUNTIME,
  aliases: ["sysctls", "kernelparameters", "kernelparams"],
  columns: [
    { name: "Current", path: "{.current}" },
    { name: "Default", path: "{.default}" },
    { name: "Unsupported", path: "{.unsupported}" },
  ],
  fields: { current: field.string(1), default: field.string(2), unsupported: field.bool(3) },
});
