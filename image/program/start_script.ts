import { mount, MS_NODEV, MS_NOEXEC, MS_NOSUID } from "../../kernel/mount.ts";

/** A script of `node:vm`, as far as it is used. */
export interface ProgramScript {
  /** The bytecode of all functions that have run so far. */
  createCachedData(): Uint8Array;
  runInThisContext(): unknown;
  readonly cachedDataRejected?: boolean | undefined;
}

/**
 * Mounts /proc and runs the program as one script, `program.js`, with the bytecode in `program.cache` if that is there.
 * V8 checks that it is of the same V8, flags and source, and else does without.
 *
 * @param folder where they are in the binary, without a slash at its end
 */
export async function startScript(folder: string): Promise<ProgramScript> {
  // Deno's Node layer asks for the path of the executable, and ends the process where it cannot be known.
  mount({ source: "proc", target: "/proc", type: "proc", flags: MS_NOSUID | MS_NODEV | MS_NOEXEC });
  const { constants, Script } = await import("node:vm");
  const cachedData = isThere(`${folder}/program.cache`) ? Deno.readFileSync(`${folder}/program.cache`) : undefined;
  const script: ProgramScript = new Script(Deno.readTextFileSync(`${folder}/program.js`), {
    filename: "file:///monos.js",
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER, // built-in modules that a start does without
    ...(cachedData && { cachedData }),
  });
  if (script.cachedDataRejected) console.error("The program's bytecode is not for this V8: it is compiled anew");
  cachedData?.buffer.transfer(0); // 2 MB, which would stay until a collection that an idle program never makes
  script.runInThisContext();
  return script;
}

/** Whether something is at a path. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
