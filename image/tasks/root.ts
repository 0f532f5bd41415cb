import { fileURLToPath } from "node:url";
import { neededLibraries } from "../elf_needed.ts";
import { machineMirrors, sourceLines } from "../mirror.ts";
import { dist, exists, removeIfThere, REPO } from "../paths.ts";
import {
  FILES,
  FOLDERS,
  LIBRARIES,
  LIBRARY_FOLDER,
  LINKS,
  PROGRAMS,
  ROOT_PACKAGES,
  SUITE,
} from "../root_definition.ts";
import { buildOnce, hashInputs } from "../stamp.ts";
import { runCommand, runTask, step, TaskError } from "../task.ts";
import { ensurePackages } from "./apt.ts";

/**
 * Makes `dist/root/`, the tree that is the root of every machine and of every container node: picked files of Debian
 * packages, and a few of our own. Our program is not in it, only an empty file in its place.
 * @returns whether it had to be made
 */
export async function buildRoot(): Promise<boolean> {
  const sources = [fileURLToPath(import.meta.url), `${REPO}image/root_definition.ts`, `${REPO}image/elf_needed.ts`];
  return await buildOnce("root", await hashInputs(sources), [dist("root")], async () => {
    const unpacked = dist("cache", "unpacked");
    const tree = dist("root.new");
    await extractPackages(ROOT_PACKAGES, unpacked);
    await step("pick the files of the root tree", async () => {
      await removeIfThere(tree);
      await pickFiles(unpacked, tree);
      await writeOwnFiles(unpacked, tree);
      await runCommand(["/sbin/ldconfig", "-r", tree]);
      await removeIfThere(unpacked);
      await removeIfThere(dist("root"));
      await Deno.rename(tree, dist("root"));
    });
  });
}

/**
 * Unpacks Debian packages with all that they depend on into `folder`; no script of theirs runs.
 * @throws {TaskError} when not root: the files belong to root
 */
export async function extractPackages(packages: readonly string[], folder: string): Promise<void> {
  if (Deno.uid() !== 0) {
    throw new TaskError("Cannot unpack packages: not root", "Run the task with sudo, or as root.");
  }
  await ensurePackages(["mmdebstrap", "debian-archive-keyring"]);
  await removeIfThere(folder);
  await Deno.mkdir(dist("cache"), { recursive: true });
  const mirrors = await machineMirrors();
  const flags = ["--mode=root", "--variant=extract", `--include=${packages.join(",")}`];
  await step(
    `unpack ${packages.length} packages of ${SUITE} from ${mirrors.archive}`,
    () => runCommand(["mmdebstrap", ...flags, SUITE, folder, ...sourceLines(mirrors)]),
  );
}

/** Moves programs, libraries, and licence texts. */
async function pickFiles(unpacked: string, tree: string): Promise<void> {
  await move(unpacked, tree, PROGRAMS);
  const programs = await Promise.all(PROGRAMS.map((path) => Deno.readFile(`${tree}/${path}`)));
  await moveLibraries(unpacked, tree, [...LIBRARIES, ...programs.flatMap(neededLibraries)]);
  const licences: string[] = ["usr/share/common-licenses"];
  for await (const { name, isSymlink } of Deno.readDir(`${unpacked}/usr/share/doc`)) {
    const folder = `usr/share/doc/${name}`;
    if (isSymlink) licences.push(folder); // to another package of the same source
    else if (await exists(`${unpacked}/${folder}/copyright`)) licences.push(`${folder}/copyright`);
  }
  await move(unpacked, tree, licences);
}

/** Moves libraries and all that they need. A library's name is a symbolic link to its file, or the file itself. */
async function moveLibraries(unpacked: string, tree: string, names: readonly string[]): Promise<void> {
  const done = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const path = `${LIBRARY_FOLDER}/${name}`;
    if (!await exists(`${unpacked}/${path}`)) {
      throw new TaskError(`Cannot make the root tree: no package has the library "${name}"`);
    }
    const { isSymlink } = await Deno.lstat(`${unpacked}/${path}`);
    if (isSymlink) queue.push(await Deno.readLink(`${unpacked}/${path}`));
    else queue.push(...neededLibraries(await Deno.readFile(`${unpacked}/${path}`)));
    await move(unpacked, tree, [path]);
  }
}

async function move(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const target = `${to}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.rename(`${from}/${path}`, target);
  }
}

/** What maintainer scripts would have made, links, and folders to mount on. */
async function writeOwnFiles(unpacked: string, tree: string): Promise<void> {
  for (const folder of FOLDERS) await Deno.mkdir(`${tree}/${folder}`, { recursive: true });
  await Deno.mkdir(`${tree}/usr/lib64`, { recursive: true });
  for (const [path, target] of LINKS) await Deno.symlink(target, `${tree}/${path}`);
  for (const [path, text] of Object.entries(FILES)) await Deno.writeTextFile(`${tree}/${path}`, text);
  await Deno.chmod(`${tree}/usr/bin/monos`, 0o755);
  await Deno.chmod(`${tree}/tmp`, 0o1777);
  await Deno.chmod(`${tree}/root`, 0o700);
  await Deno.mkdir(`${tree}/etc/ssl/certs`, { recursive: true });
  const bundle = await certificateBundle(`${unpacked}/usr/share/ca-certificates/mozilla`);
  await Deno.writeTextFile(`${tree}/etc/ssl/certs/ca-certificates.crt`, bundle);
}

/** All root certificates of a folder in one PEM text, by file name. */
async function certificateBundle(folder: string): Promise<string> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) if (name.endsWith(".crt")) names.push(name);
  const texts = await Promise.all(names.sort().map((name) => Deno.readTextFile(`${folder}/${name}`)));
  return texts.map((text) => `${text.trim()}\n`).join("");
}

if (import.meta.main) {
  await runTask(async () => {
    if (!await buildRoot()) console.error("  dist/root is up to date");
  });
}
