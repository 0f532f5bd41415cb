import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** Namespace of the machine's own state. */
export const RUNTIME = "runtime";

/** A value for a kernel parameter; the id is its path with dots, such as `proc.sys.net.ipv4.ip_forward`. */
export interface KernelParamSpec {
  value: string;
  /** A kernel that does not know the parameter is fine. */
  ignoreErrors: boolean;
}

export const KernelParamSpecs = defineResource<KernelParamSpec>()({
  type: "KernelParamSpecs.runtime.talos.dev",
  namespace: RUNTIME,
  fields: { value: field.string(1), ignoreErrors: field.bool(2) },
});
