/**
 * Turns `proto/` into `gen/`: one TypeScript module a file, descriptors included.
 *
 * `deno task gen` writes; `deno task gen --check` compares and exits with 1 when a file differs. The compiler and its
 * plugin are npm packages of exact versions, run through the Deno that runs this.
 */
import { parseArgs } from "node:util";

const BUF = "npm:@bufbuild/buf@1.75.0/buf";
const PLUGIN = "npm:@bufbuild/protoc-gen-es@2.17.0/protoc-gen-es";
const PROTO = new URL("./proto/", import.meta.url).pathname;
const GEN = new URL("./gen/", import.meta.url).pathname;

/** Compiles every file of `proto/` into `directory`. */
async function generate(directory: string): Promise<void> {
  const run = [Deno.execPath(), "run", "-A", "--quiet", "--no-lock"];
  const template = {
    version: "v2",
    inputs: [{ directory: PROTO }],
    plugins: [{ local: [...run, PLUGIN], out: directory, opt: ["target=ts", "import_extension=ts"] }],
  };
  const [command = "", ...args] = [...run, BUF, "generate", "--template", JSON.stringify(template)];
  const { success } = await new Deno.Command(command, { args, stdout: "inherit", stderr: "inherit" }).output();
  if (!success) throw new Error(`Cannot generate "${directory}": the compiler failed`);
}

/** Paths of all files below a folder, relative to it, in order. An absent folder has none. */
async function files(root: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  const entries = await Array.fromAsync(Deno.readDir(root + below)).catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = below + entry.name;
    if (entry.isDirectory) found.push(...await files(root, `${path}/`));
    else found.push(path);
  }
  return found.sort();
}

/** The paths whose content is not the same in both folders. */
async function differences(left: string, right: string): Promise<string[]> {
  const paths = new Set([...await files(left), ...await files(right)]);
  const differ: string[] = [];
  for (const path of paths) {
    const [a, b] = await Promise.all(
      [left, right].map((root) => Deno.readTextFile(root + path).catch(() => undefined)),
    );
    if (a !== b) differ.push(path);
  }
  return differ;
}

if (import.meta.main) {
  const { values } = parseArgs({ args: Deno.args, options: { check: { type: "boolean", default: false } } });
  const fresh = `${await Deno.makeTempDir({ prefix: "monos-gen-" })}/`;
  try {
    await generate(fresh);
    const differ = await differences(GEN, fresh);
    for (const path of differ) console.log(`${values.check ? "differs" : "written"}: mod/api/gen/${path}`);
    if (values.check) Deno.exitCode = differ.length > 0 ? 1 : 0;
    else {
      for (const path of differ) {
        const text = await Deno.readTextFile(fresh + path).catch(() => undefined);
        if (text === undefined) await Deno.remove(GEN + path);
        else {
          await Deno.mkdir(new URL(".", `file://${GEN}${path}`).pathname, { recursive: true });
          await Deno.writeTextFile(GEN + path, text);
        }
      }
    }
    console.log(`${differ.length} of ${(await files(fresh)).length} files ${values.check ? "differ" : "written"}`);
  } finally {
    await Deno.remove(fresh, { recursive: true });
  }
}
