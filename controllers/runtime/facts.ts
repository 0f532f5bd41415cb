import { type Controller, defineController, exclusive } from "../../mod/cosi/mod.ts";
import { NAME, VERSION } from "../../mod/version/mod.ts";
import { BOOT_ID_ID, BootIDs } from "../../resources/runtime/boot_id.ts";
import { type Diagnostic, Diagnostics } from "../../resources/runtime/diagnostic.ts";
import { KERNEL_CMDLINE_ID, KernelCmdlines } from "../../resources/runtime/kernel_cmdline.ts";
import { VERSION_ID, Versions } from "../../resources/runtime/version.ts";

/** What this program is. */
export function versionController(): Controller {
  return defineController({
    name: "runtime.VersionController",
    inputs: [],
    outputs: [exclusive(Versions)],
    async reconcile(r) {
      await r.modify(Versions, VERSION_ID, { name: NAME, version: VERSION });
    },
  });
}

/** What the kernel (or, in a container, whoever started the node) was told. */
export function kernelCmdlineController(cmdline: string): Controller {
  return defineController({
    name: "runtime.KernelCmdlineController",
    inputs: [],
    outputs: [exclusive(KernelCmdlines)],
    async reconcile(r) {
      await r.modify(KernelCmdlines, KERNEL_CMDLINE_ID, { cmdline });
    },
  });
}

/** What tells this start of the node from all others. */
export function bootIdController(bootID: string): Controller {
  return defineController({
    name: "runtime.BootIDController",
    inputs: [],
    outputs: [exclusive(BootIDs)],
    async reconcile(r) {
      await r.modify(BootIDs, BOOT_ID_ID, { bootID });
    },
  });
}

/** What the surroundings could not give, found while the machine was started. */
export function diagnosticsController(found: Readonly<Record<string, Diagnostic>>): Controller {
  return defineController({
    name: "runtime.DiagnosticsController",
    inputs: [],
    outputs: [exclusive(Diagnostics)],
    async reconcile(r) {
      await r.sync(Diagnostics, Object.entries(found).map(([id, spec]) => ({ id, spec })));
    },
  });
}
