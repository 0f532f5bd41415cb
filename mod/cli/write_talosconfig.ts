import { parseTalosconfig, type Talosconfig, TalosconfigError, type TalosconfigFile } from "./talosconfig.ts";

/**
 * Replaces the file at once and for good: a crash leaves the old one or the new one. What has not changed stays as it
 * is written, comments included. Only its owner can read the file, and a folder that is made for it. A symbolic link
 * stays one.
 * @throws {TalosconfigError} it cannot be written.
 */
export async function writeTalosconfig({ path, config }: TalosconfigFile): Promise<void> {
  const target = await realPath(path);
  const text = await newText(target, config);
  const slash = target.lastIndexOf("/");
  const folder = slash === -1 ? "." : target.slice(0, slash) || "/";
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${folder}/.${target.slice(slash + 1)}.${crypto.randomUUID()}`;
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    await keepOwner(target, draft);
    const bytes = new TextEncoder().encode(text);
    for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
    await file.sync();
    await Deno.rename(draft, target);
  } catch (cause) {
    await Deno.remove(draft).catch(() => {}); // it may not be there; the first failure is the one to tell
    throw new TalosconfigError(path, "", `the file cannot be written (${String(cause)})`, { cause });
  }
  using handle = await Deno.open(folder);
  await handle.sync();
}

async function newText(path: string, config: Talosconfig): Promise<string> {
  const [{ stringify }, { editYaml }, { isEqual }] = await Promise.all([
    import("@std/yaml"),
    import("./edit_yaml.ts"),
    import("../schema/mod.ts"),
  ]);
  const old = await ifThere(Deno.readTextFile(path));
  if (old !== undefined) {
    const edited = editYaml(old, await parseTalosconfig(path, old), config);
    if (isEqual(await parseTalosconfig(path, edited), config)) return edited; // not so where anchors are shared
  }
  return stringify(config, { indent: 4, lineWidth: -1, useAnchors: false, skipInvalid: true });
}

/** With sudo, a user's file stays the user's. */
async function keepOwner(target: string, draft: string): Promise<void> {
  if (Deno.uid() !== 0) return; // nobody else may give files away
  const old = await ifThere(Deno.stat(target));
  if (old !== undefined) await Deno.chown(draft, old.uid, old.gid);
}

async function realPath(path: string): Promise<string> {
  return await ifThere(Deno.realPath(path)) ?? path;
}

/** Undefined when the file does not exist. */
async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
