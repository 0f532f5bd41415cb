/** The controller runtime over a state of another process. */
import { ok, strictEqual } from "node:assert/strict";
import { ApiError } from "../../mod/api/mod.ts";
import { defineController, defineResource, exclusive, newResource, strong, weak } from "../../mod/cosi/mod.ts";
import { at, doubler, Doubles, gone, Ints, Running, seen, set, summer, Sums } from "../../mod/cosi/runtime_testbed.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { ServedState } from "./served_state.ts";

interface Text {
  readonly text: string;
}
const Texts = defineResource<Text>()({
  type: "Texts.test.dev",
  namespace: "test",
  fields: { text: field.string(1) },
});
const TYPES = [Ints, Doubles, Sums, Texts];
const definition = (type: string) => TYPES.find((known) => known.type === type);
const QUICK = { firstMs: 5, maxMs: 50 };

async function openServed() {
  const served = await ServedState.start(new MemoryState(), definition);
  return { served, remote: served.remote({ definition, retry: QUICK }) };
}

/** Holds its inputs and lets go once their outputs are gone. */
const writer = () =>
  defineController({
    name: "test.TextController",
    inputs: [strong(Ints)],
    outputs: [exclusive(Texts)],
    async reconcile(r) {
      for (const { metadata: { id, phase }, spec } of await r.list(Ints)) {
        if (phase === "running") {
          await r.addFinalizer(Ints, id);
          await r.modify(Texts, id, { text: String(spec.value) });
        } else {
          if (await r.teardown(Texts, id)) await r.destroy(Texts, id);
          await r.removeFinalizer(Ints, id);
        }
      }
    },
  });

Deno.test("controllers converge over the wire, chain and clean up", async () => {
  const { served, remote } = await openServed();
  await using _ = served;
  await using running = new Running(remote, [doubler(), summer(), writer()]);
  for (const [id, value] of [["a", 1], ["b", 2]] as const) await remote.create(newResource(Ints, id, { value }));
  await seen(remote, Sums.type, "sum", ({ value }) => value === 6);
  await set(remote, "b", 5);
  await seen(remote, Sums.type, "sum", ({ value }) => value === 12);
  await seen(remote, Texts.type, "b", (spec) => (spec as unknown as Text).text === "5");
  strictEqual(await remote.teardown(at(Ints.type, "b")), false);
  await gone(remote, Texts.type, "b");
  strictEqual(running.lines.join("\n"), "");
});

Deno.test("a failing controller is tried again over the wire", async () => {
  const { served, remote } = await openServed();
  await using _ = served;
  let runs = 0;
  const failing = defineController({
    name: "test.FailingController",
    inputs: [weak(Ints)],
    outputs: [exclusive(Sums)],
    async reconcile(r) {
      if (++runs < 3) throw new Error("not yet");
      await r.modify(Sums, "done", { value: runs });
    },
  });
  await using running = new Running(remote, [failing]);
  await seen(remote, Sums.type, "done");
  ok(running.lines.some((line) => line.includes("not yet")));
});

Deno.test("a remote runtime survives a restart of its server: a write is accepted and acted on within a second", async () => {
  const { served, remote } = await openServed();
  await using _ = served;
  await using _running = new Running(remote, [doubler()]);
  await remote.create(newResource(Ints, "a", { value: 1 }));
  await seen(remote, Doubles.type, "a");
  await served.stop();
  await served.comeBack();
  const since = performance.now();
  while (true) {
    try {
      await remote.create(newResource(Ints, "b", { value: 2 }));
      break;
    } catch (error) {
      ok(error instanceof ApiError, String(error)); // it went out on the connection that is gone
    }
  }
  ok(performance.now() - since < 1000);
  await seen(remote, Doubles.type, "b", ({ value }) => value === 4);
  ok(performance.now() - since < 1000);
});

Deno.test("a runtime with caches reads what it missed while its server was away (9.1, 3.37)", async () => {
  await using served = await ServedState.start(new MemoryState(), definition);
  const { state } = served;
  for (let id = 0; id < 1000; id++) state.createNow(newResource(Ints, `${id}`, { value: id }));
  const cached = TYPES.map(({ namespace, type }) => ({ namespace, type }));
  // the remote state gives its watches up, so that the runtime has to open others, which begin with all contents
  await using running = new Running(served.remote({ definition, retry: false }), [doubler()], { cached });
  await seen(state, Doubles.type, "999");
  for (let round = 1; round <= 3; round++) {
    while (running.runtime.status()[0]?.state !== "idle") await new Promise((resolve) => setImmediate(resolve));
    await served.stop();
    state.destroyNow(at(Ints.type, `${round}`));
    await set(state, "0", round);
    await served.comeBack();
    await seen(state, Doubles.type, "0", ({ value }) => value === round * 2);
    await gone(state, Doubles.type, `${round}`);
  }
});
