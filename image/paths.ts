import { fileURLToPath } from "node:url";

/** The folder of the checkout, with a slash at its end. */
export const REPO = fileURLToPath(new URL("../", import.meta.url));

/** A path below `dist/`, where all output goes. */
export function dist(...parts: string[]): string {
  return [`${REPO}dist`, ...parts].join("/");
}

/** A path below `image/`. */
export function imageSource(...parts: string[]): string {
  return [`${REPO}image`, ...parts].join("/");
}

/** Whether something is at `path`; a dangling symbolic link counts. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** Removes a file or a tree if it is there. */
export async function removeIfThere(path: string): Promise<void> {
  if (await exists(path)) await Deno.remove(path, { recursive: true });
}

/**
 * Writes a file so that it is there whole or not at all: readers and a build that was interrupted never see half of it.
 */
export async function writeWhole(path: string, data: Uint8Array | string, mode = 0o644): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const temporary = `${path}.new`;
  await removeIfThere(temporary);
  await Deno.writeFile(temporary, bytes, { mode }); // never readable for more than `mode` says
  await Deno.chmod(temporary, mode); // whatever the umask
  await Deno.rename(temporary, path);
}
