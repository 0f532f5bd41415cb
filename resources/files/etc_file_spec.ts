import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** Namespace of files. */
export const FILES = "files";

/** A file that must be under /etc; its id is the path there, such as `hosts`. */
export interface EtcFileSpec {
  contents: string;
  /** Permission bits. */
  mode: number;
  selinux_label: string;
}

export const EtcFileSpecs = defineResource<EtcFileSpec>()({
  type: "EtcFileSpecs.files.talos.dev",
  namespace: FILES,
  sensitive: true,
  fields: { contents: field.text(1), mode: field.uint32(2), selinux_label: field.string(3) },
});
