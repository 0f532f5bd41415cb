import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { recoverDenort } from "./denort.ts";
import { dist, exists, removeIfThere, writeWhole } from "./paths.ts";
import { stripElf } from "./strip_elf.ts";
import { commandOutput, hasProgram, runCommand, step, TaskError } from "./task.ts";

/** The version of everything Deno here: types, tests, and the runtime inside the binary. */
const DENO_VERSION = "2.9.4";
const TARGET = "x86_64-unknown-linux-gnu";
/** Of denort 2.9.4 for x86-64 Linux, as released. */
const DENORT_SHA256 = "723d45cca4f68bd66652da1e0d45562b0700317c1535981035f50f078785a131";
/** Of the same file without its symbol table, as {@link stripElf} makes it. */
const STRIPPED_SHA256 = "9ad6921de2e1211d4ea76c1487a5854a5e8b4e8e9548ac259cdd29bc22b52363";
/**
 * A program compiled by Deno 2.9.4 that the npm registry holds. Only denort, which is under the MIT licence, is taken
 * out of it; nothing of the application is kept.
 */
const COMPILED_PACKAGE = { name: "@chelonia/cli-x64-linux", version: "3.4.0", program: "package/chel" } as const;
const CONNECT_TIMEOUT_MS = 5000;

/**
 * The path of denort, the runtime that `deno compile` appends our program to. Looked for in this order: the variable
 * `DENORT_BIN`, used as it is; `dist/cache/`; Deno's own cache; Deno's release server; a package of the npm registry.
 * All but the first are used only if their SHA-256 is the known one, and kept in `dist/cache/` without symbols.
 * @throws {TaskError} when no place has it
 */
export async function denortPath(): Promise<string> {
  const given = Deno.env.get("DENORT_BIN");
  if (given !== undefined && given !== "") {
    if (!await exists(given)) throw new TaskError(`Cannot use DENORT_BIN: there is no file "${given}"`);
    return given;
  }
  if (Deno.build.target !== TARGET) {
    throw new TaskError(
      `Cannot build for ${Deno.build.target}: only ${TARGET} is known`,
      "Set DENORT_BIN to a denort.",
    );
  }
  const cached = dist("cache", `denort-${DENO_VERSION}`);
  if (await exists(cached) && sha256(await Deno.readFile(cached)) === STRIPPED_SHA256) return cached;
  const denort = stripElf(await step("fetch the base runtime of deno compile, once", fetchDenort));
  await Deno.mkdir(dist("cache"), { recursive: true });
  await writeWhole(cached, denort, 0o755);
  return cached;
}

/** One place that may have denort. `undefined`: it does not. */
type Source = () => Promise<Uint8Array | undefined>;

async function fetchDenort(): Promise<Uint8Array> {
  const places: Source[] = [fromDenoCache, fromReleaseServer, fromNpm];
  for (const place of places) {
    const denort = await place();
    if (denort !== undefined && sha256(denort) === DENORT_SHA256) return denort;
  }
  throw new TaskError(
    `Cannot find denort ${DENO_VERSION}: neither Deno's release server nor the npm registry has a file with the right checksum`,
    "Set DENORT_BIN to the denort of that version, from the releases of Deno.",
  );
}

async function fromDenoCache(): Promise<Uint8Array | undefined> {
  const home = Deno.env.get("HOME") ?? "/root";
  const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${home}/.cache`}/deno`;
  const zip = `${cache}/dl/release/v${DENO_VERSION}/denort-${TARGET}.zip`;
  return await exists(zip) ? unzipOnlyFile(await Deno.readFile(zip)) : undefined;
}

async function fromReleaseServer(): Promise<Uint8Array | undefined> {
  const url = `https://dl.deno.land/release/v${DENO_VERSION}/denort-${TARGET}.zip`;
  const connecting = new AbortController();
  const timer = setTimeout(() => connecting.abort(), CONNECT_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: connecting.signal });
    clearTimeout(timer); // from here on it may take as long as the line needs
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    return unzipOnlyFile(await response.bytes());
  } catch (error) {
    // Unreachable or cut off: the next place is asked.
    if (error instanceof TypeError || error instanceof DOMException) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function fromNpm(): Promise<Uint8Array | undefined> {
  if (!await hasProgram("npm")) {
    throw new TaskError(
      "Cannot fetch denort from the npm registry: npm is not installed",
      "Install npm (Debian: npm).",
    );
  }
  const folder = dist("cache", "npm");
  await removeIfThere(folder);
  await Deno.mkdir(folder, { recursive: true });
  const { name, version, program } = COMPILED_PACKAGE;
  await runCommand(["npm", "pack", `${name}@${version}`, "--silent", "--pack-destination", folder]);
  const [archive] = await Array.fromAsync(Deno.readDir(folder));
  if (archive === undefined) return undefined;
  const compiled = await commandOutput(["tar", "-xzOf", `${folder}/${archive.name}`, program]);
  await Deno.remove(folder, { recursive: true });
  return recoverDenort(compiled);
}

/**
 * The content of a zip archive's first file, which is its only one.
 * @throws {TaskError} when it is no zip archive, or is cut off
 * @see APPNOTE.TXT 4.3.7 (local file header) and 4.3.12 (central directory)
 */
export function unzipOnlyFile(zip: Uint8Array): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let end = zip.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new TaskError("Cannot unpack denort: its archive is not complete");
  const entry = view.getUint32(end + 16, true);
  const method = view.getUint16(entry + 10, true);
  const size = view.getUint32(entry + 20, true);
  const local = view.getUint32(entry + 42, true);
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const data = zip.subarray(start, start + size);
  return method === 0 ? data.slice() : new Uint8Array(inflateRawSync(data));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
