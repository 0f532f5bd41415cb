import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** Id of the one boot. */
export const BOOT_ID_ID = "boot-id";

/** What tells this boot from all others. */
export interface BootID {
  /** A UUID. */
  bootID: string;
}

export const BootIDs = defineResource<BootID>()({
  type: "BootIDs.runtime.talos.dev",
  namespace: RUNTIME,
  columns: [{ name: "Boot ID", path: "{.bootID}" }],
  fields: { bootID: field.string(1) },
});
