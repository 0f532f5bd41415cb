/**
 * Entry of a binary that lives once, while the program is built: it starts the program as PID 1, asks it what a node is
 * asked first, and keeps the bytecode of all that has run.
 */
import { isThere, startScript } from "./start_script.ts";
import { WARM_UP } from "./warm_up_files.ts";

const TIMEOUT_MS = 60_000;

async function warmUp(folder: string): Promise<never> {
  setTimeout(() => Deno.exit(1), TIMEOUT_MS);
  try {
    const script = await startScript(folder);
    await (await import("./warm_up_calls.ts")).makeFirstCalls(WARM_UP.talosconfig); // it needs /proc to be loaded
    Deno.writeFileSync(WARM_UP.cache, script.createCachedData());
    Deno.exit(0);
  } catch (error) {
    console.error(error);
    Deno.exit(1);
  }
}

const folder = (import.meta.dirname ?? "").replace(/\/warm_up$/, "");
if (Deno.pid !== 1 || isThere("/proc/self")) await import(`${folder}/parts/main.js`); // it is its own wrapper
else await warmUp(folder);
