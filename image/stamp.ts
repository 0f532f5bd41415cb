import { createHash } from "node:crypto";
import { dist, exists, writeWhole } from "./paths.ts";

/**
 * Rebuilds outputs only when inputs changed: `dist/cache/<name>.stamp` holds the key under which they were last built.
 * @param key everything that the outputs depend on, see {@link hashInputs}
 * @param build makes the outputs; when it throws, the next run builds again
 * @returns whether anything was built
 */
export async function buildOnce(
  name: string,
  key: string,
  outputs: readonly string[],
  build: () => Promise<void>,
): Promise<boolean> {
  const stamp = dist("cache", `${name}.stamp`);
  await Deno.mkdir(dist("cache"), { recursive: true });
  using lock = await Deno.open(dist("cache", `${name}.lock`), { write: true, create: true });
  await lock.lock(true); // two tasks at once: the second one waits, and finds all done
  const there = await Promise.all(outputs.map(exists));
  if (there.every(Boolean) && await exists(stamp) && await Deno.readTextFile(stamp) === key) return false;
  if (await exists(stamp)) await Deno.remove(stamp);
  await build();
  await writeWhole(stamp, key);
  return true;
}

/** SHA-256 over the names and contents of files and over plain values, as hex. Order does not matter for files. */
export async function hashInputs(files: readonly string[], values: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const value of values) hash.update(`${value}\0`);
  const sorted = [...files].sort();
  const contents = await Promise.all(sorted.map((file) => Deno.readFile(file)));
  for (const [index, content] of contents.entries()) {
    hash.update(`\0${sorted[index]}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** Every file below `folder` that `isWanted`, as full paths. No folder, no files. */
export async function listFiles(folder: string, isWanted: (path: string) => boolean): Promise<string[]> {
  if (!await exists(folder)) return [];
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await listFiles(path, isWanted));
    else if (entry.isFile && isWanted(path)) found.push(path);
  }
  return found;
}
