/** Clients that are many, that go without a word, and that do not read: memory returns, and writers stay fast. */
import { ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { ApiError, ResourceCodec } from "../../mod/api/mod.ts";
import { WatchRequestSchema } from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { stateMethods } from "../../mod/api/state_methods.ts";
import { MemoryState, OpaqueSpec } from "../../mod/cosi/mod.ts";
import { numberOf } from "./seeded_random.ts";
import { ServedState } from "./served_state.ts";
import { at, KIND, thing } from "./state_fixture.ts";
import type { LoadReport } from "./wire_load.ts";

const WATCHES = numberOf("TEST_WATCHES", 1_000);
const DROPS = numberOf("TEST_DROPS", 5_000);
const METHODS = stateMethods(new ResourceCodec());
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
  const ready = Promise.withResolvers<void>(), ended = Promise.withResolvers<Error | undefined>();
  const types: string[] = [];
  using following = served.client.follow(METHODS.watch, create(WatchRequestSchema, { ...KIND, apiVersion: 1 }), {
    message(events) {
      for (const { type } of events) types.push(type);
      ready.resolve();
    },
    end: (error) => ended.resolve(error),
  });
  await ready.promise;
  following.pause();
  const spec = (count: number) => new OpaqueSpec(new Uint8Array(32_000).fill(count), "");
  served.state.createNow({ metadata: thing("a").metadata, spec: spec(0) });
  const since = performance.now();
  for (let count = 0; count < 10_000; count++) {
    served.state.updateNow({ metadata: served.state.getNow(at("a")).metadata, spec: spec(count) });
    if (count % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  ok(performance.now() - since < 20_000);
  following.resume();
  const error = await ended.promise;
  ok(error instanceof ApiError && error.code === "ABORTED", String(error));
  ok(types.length < 500, `${types.length} of 10,000 events were kept for it`);
});
