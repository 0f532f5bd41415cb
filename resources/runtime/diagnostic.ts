import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** Something that a person should know or mend; the id names the check. */
export interface Diagnostic {
  /** One line. */
  message: string;
  details: readonly string[];
}

export const Diagnostics = defineResource<Diagnostic>()({
  type: "Diagnostics.runtime.talos.dev",
  namespace: RUNTIME,
  columns: [{ name: "Message", path: "{.message}" }],
  fields: { message: field.string(1), details: field.list(2, field.string()) },
});
