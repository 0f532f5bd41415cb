import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MemoryState, newResource, Runtime, teardownAndDestroy, watchFor } from "../../mod/cosi/mod.ts";
import { EtcFileSpecs } from "../../resources/files/etc_file_spec.ts";
import { EtcFileStatuses } from "../../resources/files/etc_file_status.ts";
import { etcFileController } from "./etc_file.ts";
import { etcFolder } from "./etc_folder.ts";

/** Runs the controller on a folder of its own, which is gone afterwards. */
async function onFolder(body: (state: MemoryState, folder: string, log: string[]) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const stop = new AbortController();
  const log: string[] = [];
  const state = new MemoryState();
  const runtime = new Runtime(state, { log: (_name, level, message) => log.push(`${level} ${message}`) });
  runtime.register(etcFileController(etcFolder(folder)));
  const running = runtime.run(stop.signal);
  try {
    await body(state, folder, log);
  } finally {
    stop.abort();
    await running;
    await Deno.remove(folder, { recursive: true });
  }
}

function pointer(type: string, id: string) {
  return { namespace: EtcFileSpecs.namespace, type, id };
}

Deno.test("files.EtcFileController writes a file with its mode, says which version, and takes it away", async () => {
  await onFolder(async (state, folder) => {
    const status = pointer(EtcFileStatuses.type, "cri/conf.d/hosts.toml");
    const spec = { contents: "a = 1\n", mode: 0o600, selinux_label: "" };
    await state.create(newResource(EtcFileSpecs, status.id, spec));
    // the finalizer makes version 2
    await watchFor(state, status, { condition: ({ spec }) => (spec as { specVersion: string }).specVersion === "2" });
    const path = `${folder}/${status.id}`;
    strictEqual(await Deno.readTextFile(path), spec.contents);
    strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    await teardownAndDestroy(state, pointer(EtcFileSpecs.type, status.id));
    await rejects(Deno.stat(path), Deno.errors.NotFound);
  });
});

Deno.test("files.EtcFileController refuses to write elsewhere", async () => {
  await onFolder(async (state, folder, log) => {
    const failed = new Promise<void>((resolve) => {
      const push = log.push.bind(log);
      log.push = (...lines) => (resolve(), push(...lines));
    });
    await state.create(newResource(EtcFileSpecs, "../out", { contents: "", mode: 0o644, selinux_label: "" }));
    await failed;
    deepStrictEqual(log.map((line) => line.includes('Cannot write file "../out"')), [true]);
    await rejects(Deno.stat(`${folder}/../out`), Deno.errors.NotFound);
  });
});
