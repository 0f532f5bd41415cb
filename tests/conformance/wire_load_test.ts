/** Clients that are many, that go without a word, and that do not read: memory returns, and writers stay fast. */
import { ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { changeMetadata, MemoryState, OpaqueSpec, OverrunError } from "../../mod/cosi/mod.ts";
import { numberOf } from "./seeded_random.ts";
import { ServedState } from "./served_state.ts";
import { at, KIND, Reader, thing } from "./state_fixture.ts";
import type { LoadReport } from "./wire_load.ts";

const WATCHES = numberOf("TEST_WATCHES", 1_000);
const DROPS = numberOf("TEST_DROPS", 5_000);
const SCRIPT = fileURLToPath(new URL("wire_load.ts", import.meta.url));

Deno.test(`${WATCHES} watches are served, ${DROPS} are opened and dropped, and the memory comes back`, async () => {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "--v8-flags=--expose-gc", SCRIPT, String(WATCHES), String(DROPS)],
  }).output();
  ok(success, new TextDecoder().decode(stderr));
  const report = JSON.parse(new TextDecoder().decode(stdout)) as LoadReport;
  console.log(report);
  strictEqual(report.served, WATCHES);
  ok(report.after - report.before < 4 << 20, "dropped watches stay in memory");
  ok(report.closed - report.before < 8 << 20, "closed watches stay in memory");
});

Deno.test("a client that never reads costs neither memory nor the writers' time", async () => {
  await using served = await ServedState.start(new MemoryState({ max: 64 }), () => undefined);
  using watch = await served.remote({ retry: false, definition: () => undefined }).watchKind(KIND, {
    bootstrapBookmark: true,
  });
  const spec = (count: number) => new OpaqueSpec(new Uint8Array(32_000).fill(count), "");
  served.state.createNow({ metadata: changeMetadata(thing("a").metadata, {}), spec: spec(0) });
  const before = Deno.memoryUsage().rss;
  const since = performance.now();
  for (let count = 0; count < 20_000; count++) {
    const { metadata } = served.state.getNow(at("a"));
    served.state.updateNow({ metadata, spec: spec(count) });
    if (count % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const grown = Deno.memoryUsage().rss - before; // 640 MB went by, twice that over the wire
  ok(grown < 256 << 20, `${grown >> 20} MiB`);
  ok(performance.now() - since < 20_000);
  using reader = new Reader(watch);
  let event = await reader.next();
  while (event.type !== "errored") event = await reader.next();
  ok(event.error instanceof OverrunError || /history holds/.test(String(event.error)), String(event.error));
});
