import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** Id of the one version. */
export const VERSION_ID = "version";

/** The program that runs the machine. */
export interface Version {
  name: string;
  version: string;
}

export const Versions = defineResource<Version>()({
  type: "Versions.runtime.talos.dev",
  namespace: RUNTIME,
  columns: [{ name: "Name", path: "{.name}" }, { name: "Version", path: "{.version}" }],
  fields: { name: field.string(2), version: field.string(1) },
});
