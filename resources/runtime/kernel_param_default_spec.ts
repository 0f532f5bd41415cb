import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** A value that a kernel parameter has unless somebody asks for another; the id is that of the wish. */
export interface KernelParamDefaultSpec {
  value: string;
  /** A kernel that does not know the parameter is fine. */
  ignoreErrors: boolean;
}

export const KernelParamDefaultSpecs = defineResource<KernelParamDefaultSpec>()({
  type: "KernelParamDefaultSpecs.runtime.talos.dev",
  namespace: RUNTIME,
  fields: { value: field.string(1), ignoreErrors: field.bool(2) },
});
