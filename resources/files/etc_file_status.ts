import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { FILES } from "./etc_file_spec.ts";

/** A file that was written under /etc; its id is that of the wish. */
export interface EtcFileStatus {
  /** Version of the wish that was written. */
  specVersion: string;
}

export const EtcFileStatuses = defineResource<EtcFileStatus>()({
  type: "EtcFileStatuses.files.talos.dev",
  namespace: FILES,
  fields: { specVersion: field.string(1) },
});
