import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { RUNTIME } from "./kernel_param_spec.ts";

/** Id of the one command line. */
export const KERNEL_CMDLINE_ID = "cmdline";

/** What the kernel was started with. */
export interface KernelCmdline {
  /** The text of /proc/cmdline without its line end. */
  cmdline: string;
}

export const KernelCmdlines = defineResource<KernelCmdline>()({
  type: "KernelCmdlines.runtime.talos.dev",
  namespace: RUNTIME,
  aliases: ["cmdline"],
  columns: [{ name: "Cmdline", path: "{.cmdline}" }],
  fields: { cmdline: field.string(1) },
});
