import { rejects, strictEqual } from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { ConfigFile, inlineConfig } from "./config_file.ts";

const CONFIG = "version: v1alpha1\nmachine: {}\n";
const base64 = (bytes: Uint8Array) => new Uint8Array(bytes).toBase64();

Deno.test("inlineConfig() reads plain, gzip and zstd, whole or in parts", async () => {
  const plain = base64(new TextEncoder().encode(CONFIG));
  strictEqual(await inlineConfig(`quiet talos.config.inline=${plain} panic=1`), CONFIG);
  strictEqual(await inlineConfig(`talos.config.inline=${base64(gzipSync(CONFIG))}`), CONFIG);
  strictEqual(await inlineConfig(`talos.config.inline=${base64(zstdCompressSync(CONFIG))}`), CONFIG);
  strictEqual(
    await inlineConfig(`talos.config.inline=${plain.slice(0, 8)} x talos.config.inline="${plain.slice(8)}"`),
    CONFIG,
  );
});
Deno.test("inlineConfig() tells absence from garbage", async () => {
  strictEqual(await inlineConfig("quiet xtalos.config.inline=AAAA"), undefined);
  await rejects(inlineConfig("talos.config.inline=*"), SyntaxError);
});
Deno.test("ConfigFile is empty at first and then holds what was written last", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = new ConfigFile(`${folder}/state`);
    strictEqual(await file.read(), undefined);
    await file.write("a");
    await file.write(CONFIG);
    strictEqual(await file.read(), CONFIG);
    strictEqual((await Deno.stat(`${folder}/state/config.yaml`)).mode ?? 0 & 0o777, 0o100600);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
