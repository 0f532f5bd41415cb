import { fileURLToPath } from "node:url";
import { denortPath } from "../denort_source.ts";
import { dist, exists, removeIfThere, REPO } from "../paths.ts";
import { buildOnce, hashInputs, listFiles } from "../stamp.ts";
import { runCommand, runTask, step, TaskError } from "../task.ts";

const SOURCE_FOLDERS = ["mod", "kernel", "resources", "controllers"];

/**
 * Makes `dist/monos`, the one program, and `dist/monosctl`, the same under its other name, if a source file changed.
 * @returns whether anything had to be built
 */
export async function buildBinary(): Promise<boolean> {
  const sources = await sourceFiles();
  const key = await hashInputs(sources, [Deno.version.deno, Deno.env.get("DENORT_BIN") ?? ""]);
  return await buildOnce("build", key, [dist("monos"), dist("monosctl")], async () => {
    const denort = await denortPath();
    const bundle = dist("cache", "bundle");
    await step("bundle", () => bundleProgram(bundle));
    await step("compile", () => compileBundle(denort, bundle));
    await removeIfThere(dist("monosctl"));
    await Deno.symlink("monos", dist("monosctl"));
  });
}

/** Everything that can end up in the binary. */
async function sourceFiles(): Promise<string[]> {
  const isSource = (path: string) => path.endsWith(".ts") && !path.endsWith("_test.ts");
  const lists = await Promise.all(SOURCE_FOLDERS.map((folder) => listFiles(`${REPO}${folder}`, isSource)));
  const main = `${REPO}main.ts`;
  if (!await exists(main)) throw new TaskError(`Cannot build the program: there is no ${main}`);
  const single = [main, `${REPO}deno.json`, `${REPO}deno.lock`, fileURLToPath(import.meta.url)];
  return [...single, ...lists.flat()];
}

/**
 * One module for each role, and what they share: `main.ts` imports only the role that was asked for, so the others
 * are not even parsed. Modules of packages are folded in: no package folder is searched or read at the start.
 */
async function bundleProgram(folder: string): Promise<void> {
  await removeIfThere(folder);
  const flags = ["--quiet", "--platform=deno", "--code-splitting", `--outdir=${folder}`];
  await runCommand([Deno.execPath(), "bundle", ...flags, `${REPO}main.ts`], { cwd: REPO });
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    const text = await Deno.readTextFile(path);
    const direct = withBuiltinImports(text);
    if (direct !== text) await Deno.writeTextFile(path, direct);
  }
}

const EAGER_REQUIRE = 'import { createRequire as __deno_internal_createRequire } from "node:module";\n' +
  "var __require = __deno_internal_createRequire(import.meta.url);\n";
const LAZY_REQUIRE = "var __require = (id) => process.getBuiltinModule(id);\n";
const BUILTIN_REQUIRE = /\b__require\("node:([a-z0-9_]+)"\)/g;

/**
 * Turns what CommonJS packages require, which in a bundle are built-in modules only, into imports. Any other way to
 * get at such a module loads `node:module`, and with it half of the Node layer: 20 ms at the start of every role.
 */
export function withBuiltinImports(chunk: string): string {
  const names = new Set<string>();
  const body = chunk.replace(EAGER_REQUIRE, LAZY_REQUIRE).replaceAll(BUILTIN_REQUIRE, (_, name) => {
    names.add(name);
    return `__node_${name}`;
  });
  return [...names].map((name) => `import __node_${name} from "node:${name}";\n`).join("") + body;
}

/**
 * No code cache: denort reads it from a file of a known name in /tmp, which on a shared machine anyone may have put
 * there, and it is code.
 */
async function compileBundle(denort: string, bundle: string): Promise<void> {
  const flags = [
    "--quiet",
    "--allow-all",
    "--no-check", // the sources are checked; a bundle has comments of packages that name files of theirs
    "--no-code-cache",
    "--no-remote",
    "--no-config",
    "--v8-flags=--min-semi-space-size=16", // MiB; a start fills smaller ones many times, which takes 12 ms
    `--output=${dist("monos")}`,
  ];
  await runCommand([Deno.execPath(), "compile", ...flags, `${bundle}/main.js`], { env: { DENORT_BIN: denort } });
}

if (import.meta.main) {
  await runTask(async () => {
    if (!await buildBinary()) console.error("  dist/monos is up to date");
  });
}
