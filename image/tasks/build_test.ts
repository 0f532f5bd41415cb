import { match, strictEqual } from "node:assert/strict";
import process from "node:process";
import { runInNewContext } from "node:vm";
import { deflateRawSync } from "node:zlib";
import { unzipOnlyFile } from "../denort_source.ts";
import { removeIfThere } from "../paths.ts";
import { commandOutput } from "../task.ts";
import { withBuiltinImports, withoutImports, withStaticImports } from "./build.ts";

Deno.test("withBuiltinImports() recognises what this Deno's bundler writes", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/legacy.cjs`, "exports.sep = require('node:path').sep;");
    await Deno.writeTextFile(`${folder}/main.ts`, 'import { sep } from "./legacy.cjs"; console.log(sep);');
    const bundle = await commandOutput([Deno.execPath(), "bundle", "--quiet", "--no-config", `${folder}/main.ts`]);
    const direct = withBuiltinImports(new TextDecoder().decode(bundle));
    match(direct, /^import __node_path from "node:path";$/m);
    match(direct, /__node_path\b/);
    await Deno.writeTextFile(`${folder}/out.js`, direct);
    const output = await commandOutput([Deno.execPath(), "run", "--no-config", `${folder}/out.js`]);
    strictEqual(new TextDecoder().decode(output), "/\n");
  } finally {
    await removeIfThere(folder);
  }
});

Deno.test("withoutImports() makes a script of what this Deno's bundler writes", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/legacy.cjs`, "exports.sep = require('node:path').sep;");
    await Deno.writeTextFile(`${folder}/main.ts`, 'import { sep } from "./legacy.cjs"; globalThis.found = sep;');
    const flags = ["--quiet", "--no-config", "--format=iife"];
    const bundle = await commandOutput([Deno.execPath(), "bundle", ...flags, `${folder}/main.ts`]);
    const script = withoutImports(new TextDecoder().decode(bundle));
    strictEqual(runInNewContext(`${script}; found`, { process }), "/");
  } finally {
    await removeIfThere(folder);
  }
});

Deno.test("withStaticImports() imports everything but the client at the top", () => {
  const main = [
    'import type { A } from "./a.ts";',
    'const a = await import("./a.ts"), [b] = await Promise.all([import("./b/mod.ts"), import("./a.ts")]);',
    'const c = await import("./mod/cli/monosctl.ts");',
  ];
  strictEqual(
    withStaticImports(main.join("\n"), "file:///src/"),
    [
      'import * as __module_0 from "file:///src/a.ts";',
      'import * as __module_1 from "file:///src/b/mod.ts";',
      'import type { A } from "file:///src/a.ts";',
      "const a = await Promise.resolve(__module_0), " +
      "[b] = await Promise.all([Promise.resolve(__module_1), Promise.resolve(__module_0)]);",
      'const c = await import("./mod/cli/monosctl.ts");',
    ].join("\n"),
  );
});

Deno.test("unzipOnlyFile() inflates the file through the central directory", () => {
  const data = new TextEncoder().encode("denort ".repeat(100));
  const packed = deflateRawSync(data);
  const zip = new Uint8Array(30 + packed.length + 46 + 22);
  const view = new DataView(zip.buffer);
  zip.set(packed, 30);
  view.setUint16(30 + packed.length + 10, 8, true);
  view.setUint32(30 + packed.length + 20, packed.length, true);
  view.setUint32(zip.length - 22, 0x06054b50, true);
  view.setUint32(zip.length - 6, 30 + packed.length, true);
  strictEqual(new TextDecoder().decode(unzipOnlyFile(zip)), "denort ".repeat(100));
});
