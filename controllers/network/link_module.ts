import { ModuleLoader } from "../../kernel/module.ts";

/** Loads the module that makes links of a kind; a kind that needs none is fine. @throws {SyscallError} */
export async function loadLinkModule(kind: string): Promise<void> {
  using loader = new ModuleLoader();
  await loader.load(`rtnl-link-${kind}`);
}
