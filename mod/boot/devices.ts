import { SyscallError } from "../../kernel/ffi.ts";
import { ModuleLoader } from "../../kernel/module.ts";

/** What devices of a kind do without a module being found is their own matter; a module that fails is told. */
type Log = (text: string) => void;

/**
 * Loads the kernel modules for all devices that are there. A module may bring up a bus with more devices on it, so it
 * looks again until there is nothing new.
 *
 * @returns names of the modules, in the order they were loaded
 */
export async function loadDeviceModules(log: Log): Promise<string[]> {
  using loader = new ModuleLoader();
  const known = new Set<string>();
  const loaded = new Set<string>();
  for (;;) {
    const fresh = deviceAliases().filter((alias) => !known.has(alias));
    if (fresh.length === 0) return [...loaded];
    for (const alias of fresh) {
      known.add(alias);
      for (const name of await loadOne(loader, alias, log)) loaded.add(name);
    }
  }
}

async function loadOne(loader: ModuleLoader, alias: string, log: Log): Promise<string[]> {
  try {
    return await loader.load(alias);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code !== "ENODEV") log(error.message); // a driver that looks, and finds it is not for this machine
    return [];
  }
}

/** The aliases by which the devices of all buses ask for their drivers. */
function deviceAliases(): string[] {
  const aliases = new Set<string>();
  for (const bus of Deno.readDirSync("/sys/bus")) {
    for (const device of Deno.readDirSync(`/sys/bus/${bus.name}/devices`)) {
      const alias = readIfThere(`/sys/bus/${bus.name}/devices/${device.name}/modalias`);
      if (alias !== "") aliases.add(alias);
    }
  }
  return [...aliases];
}

function readIfThere(path: string): string {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch (error) {
    if (error instanceof Error) return ""; // most devices have none; one may have gone since
    throw error;
  }
}
