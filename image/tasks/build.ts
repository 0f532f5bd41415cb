import { fileURLToPath, pathToFileURL } from "node:url";
import { denortPath } from "../denort_source.ts";
import { warmUp } from "../program/code_cache.ts";
import { dist, exists, imageSource, removeIfThere, REPO } from "../paths.ts";
import { buildOnce, hashInputs, listFiles } from "../stamp.ts";
import { runCommand, runTask, step, TaskError } from "../task.ts";
import { buildRoot } from "./root.ts";

const SOURCE_FOLDERS = ["mod", "kernel", "resources", "controllers", "image/program"];

/**
 * Makes `dist/monos`, the one program, and `dist/monosctl`, the same under its other name, if a source file changed.
 * @returns whether anything had to be built
 */
export async function buildBinary(): Promise<boolean> {
  const sources = await sourceFiles();
  const key = await hashInputs(sources, [Deno.version.deno, Deno.env.get("DENORT_BIN") ?? ""]);
  return await buildOnce("build", key, [dist("monos"), dist("monosctl")], async () => {
    await buildRoot(); // the program is warmed up in it
    const denort = await denortPath();
    const bundle = dist("cache", "bundle");
    await step("bundle", () => bundleProgram(bundle));
    await step("warm up", async () => {
      const binary = dist("cache", "warm-up.bin");
      await compileBundle(denort, bundle, "warm_up/warm_up.js", ["warm_up", "parts", "program.js"], binary);
      await Deno.writeFile(`${bundle}/program.cache`, await warmUp(binary));
      await Deno.remove(binary);
    });
    await step(
      "compile",
      () => compileBundle(denort, bundle, "start.js", ["parts", "program.js", "program.cache"], dist("monos")),
    );
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
 * The program in two forms, modules of packages folded in, so that no package folder is searched or read at the start:
 * `parts/`, one module for each role and what they share, so that `main.ts` loads only the role that was asked for;
 * and `program.js`, all but the client as one script, which can have its bytecode beside it.
 */
async function bundleProgram(folder: string): Promise<void> {
  await removeIfThere(folder);
  const bundle = async (...args: string[]) =>
    await runCommand([Deno.execPath(), "bundle", "--quiet", "--platform=deno", ...args], { cwd: REPO });
  // The first one alone: on a new machine it installs the bundler, and several at once get in each other's way.
  await bundle("--code-splitting", `--outdir=${folder}/parts`, `${REPO}main.ts`);
  const whole = `${folder}/whole.ts`;
  await Deno.writeTextFile(
    whole,
    withStaticImports(await Deno.readTextFile(`${REPO}main.ts`), pathToFileURL(REPO).href),
  );
  await Promise.all([
    bundle("--format=iife", `--external=${CLIENT}`, `--output=${folder}/program.js`, whole),
    bundle(`--output=${folder}/start.js`, imageSource("program", "start.ts")),
    bundle("--code-splitting", `--outdir=${folder}/warm_up`, imageSource("program", "warm_up.ts")),
  ]);
  for (const part of ["parts", "warm_up"]) {
    for (const path of await listFiles(`${folder}/${part}`, () => true)) await change(path, withBuiltinImports);
  }
  await change(`${folder}/program.js`, withoutImports);
}

/** Not in the script: nobody asks PID 1 for it. */
const CLIENT = "./mod/cli/monosctl.ts";

/**
 * `main.ts` with all imports at its top: then the bundler leaves out what nobody uses, and joins the modules instead of
 * wrapping each. 6 ms and 2 MB less at a start.
 * @param folder URL of where the imported files lie, with a slash at its end
 */
export function withStaticImports(main: string, folder: string): string {
  const paths: string[] = [];
  const body = main.replaceAll(/\bimport\("\.\/([^"]+)"\)/g, (dynamic: string, path: string) => {
    if (`./${path}` === CLIENT) return dynamic;
    if (!paths.includes(path)) paths.push(path);
    return `Promise.resolve(__module_${paths.indexOf(path)})`;
  });
  const imports = paths.map((path, index) => `import * as __module_${index} from "${folder}${path}";\n`);
  return imports.join("") + body.replaceAll('from "./', `from "${folder}`);
}

async function change(path: string, changed: (text: string) => string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const after = changed(text);
  if (after !== text) await Deno.writeTextFile(path, after);
}

const EAGER_REQUIRE = /^ *import \{ createRequire as __deno_internal_createRequire \} from "node:module";\n.*\n/m;
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

/** Scripts have no imports: all built-in modules are got when they are asked for. */
export function withoutImports(script: string): string {
  return script.replace(EAGER_REQUIRE, LAZY_REQUIRE);
}

/**
 * Not with Deno's own code cache: denort reads it from a file of a known name in /tmp, which on a shared machine anyone
 * may have put there, and it is code.
 */
async function compileBundle(
  denort: string,
  bundle: string,
  entry: string,
  included: readonly string[],
  output: string,
): Promise<void> {
  const flags = [
    "--quiet",
    "--allow-all",
    "--no-check", // the sources are checked; a bundle has comments of packages that name files of theirs
    "--no-code-cache",
    "--no-remote",
    "--no-config",
    "--v8-flags=--min-semi-space-size=16", // MiB; a start fills smaller ones many times, which takes 12 ms
    ...included.map((name) => `--include=${bundle}/${name}`),
    `--output=${output}`,
  ];
  await runCommand([Deno.execPath(), "compile", ...flags, `${bundle}/${entry}`], { env: { DENORT_BIN: denort } });
}

if (import.meta.main) {
  await runTask(async () => {
    if (!await buildBinary()) console.error("  dist/monos is up to date");
  });
}
