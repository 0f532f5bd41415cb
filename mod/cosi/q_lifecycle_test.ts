/** How queue controllers start and end. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  defineController,
  defineQController,
  exclusive,
  MemoryState,
  newResource,
  qMapped,
  qPrimary,
  RegistrationError,
  Runtime,
  shared,
  weak,
} from "./mod.ts";
import { Doubles, type Int, Ints, Running, seen, set, Sums } from "./runtime_testbed.ts";

const pass = () => new Promise<void>((resolve) => setImmediate(resolve));

for (const [last, hookTurns, runTurns] of [["hook", 4, 1], ["reconcile", 1, 4]] as const) {
  Deno.test(`the hooks run beside the queue and after it, the ${last} being last to end (3.18, 10.32)`, async () => {
    const state = new MemoryState();
    const events: string[] = [];
    let hooks = 0;
    const stopped = async (signal: AbortSignal, turns: number) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      for (let turn = 0; turn < turns; turn++) await pass();
    };
    {
      await using _ = new Running(state, [
        defineQController({
          name: "test.QHooks",
          inputs: [qPrimary(Ints)],
          outputs: [exclusive(Doubles)],
          async reconcile(r, { id }) {
            await stopped(r.signal, runTurns);
            events.push(`${id} done`);
          },
          async runHook(r) {
            if (++hooks === 1) throw new Error("the first time");
            await r.modify(Doubles, "hook", { value: hooks });
            await stopped(r.signal, hookTurns);
            events.push("hook done");
          },
          shutdownHook: () => void events.push("shut down"),
        }),
      ]);
      await state.create(newResource(Ints, "a", { value: 1 }));
      await seen(state, Doubles.type, "hook", ({ value }) => value === 2);
    }
    deepStrictEqual(events.toSorted(), ["a done", "hook done", "shut down"]);
    strictEqual(events.at(-1), "shut down");
  });
}

Deno.test("queue controllers are refused like others, and for a wrong kind of input (3.8, 3.20)", () => {
  const runtime = new Runtime(new MemoryState());
  const reconcile = () => Promise.resolve();
  throws(() => defineQController({ name: "q", inputs: [], outputs: [], concurrency: 0, reconcile }), TypeError);
  throws(() => defineQController({ name: "q", inputs: [qMapped(Ints)], outputs: [], reconcile }), TypeError);
  runtime.register(defineQController({ name: "q", inputs: [], outputs: [exclusive(Sums)], reconcile }));
  for (
    const bad of [
      defineQController({ name: "q", inputs: [], outputs: [], reconcile }),
      defineQController({ name: "r", inputs: [], outputs: [shared(Sums)], reconcile }),
      defineQController({ name: "r", inputs: [weak(Ints) as never], outputs: [], reconcile }),
      defineController({ name: "r", inputs: [qPrimary(Ints) as never], outputs: [], reconcile }),
    ]
  ) throws(() => runtime.register(bad), RegistrationError);
});

Deno.test("unregister() ends a controller and frees its types (9.21)", async () => {
  const state = new MemoryState();
  let shut = 0;
  const make = (factor: number) =>
    defineQController({
      name: "test.QFactor",
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(Doubles)],
      async reconcile(r, { id }) {
        await r.modify(Doubles, id, { value: ((await r.get(Ints, id))?.spec as Int).value * factor });
      },
      shutdownHook: () => void shut++,
    });
  await using running = new Running(state, [make(2)]);
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "a", ({ value }) => value === 2);
  await running.runtime.unregister("test.QFactor");
  strictEqual(shut, 1);
  deepStrictEqual(running.runtime.dependencies(), []);
  await set(state, "a", 2);
  running.runtime.register(make(3));
  await seen(state, Doubles.type, "a", ({ value }) => value === 6);
  strictEqual(running.runtime.status().length, 1);
});

Deno.test("unregister() before the start leaves others what they are going to need", async () => {
  const state = new MemoryState();
  const runtime = new Runtime(state);
  const make = (name: string, output: typeof Doubles | typeof Sums) =>
    defineQController({
      name,
      inputs: [qPrimary(Ints)],
      outputs: [exclusive(output)],
      reconcile: (r, { id }) => r.modify(output as typeof Doubles, id, { value: 1 }).then(() => {}),
    });
  runtime.register(make("test.QStays", Doubles));
  runtime.register(make("test.QLeaves", Sums));
  await runtime.unregister("test.QLeaves");
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  await pass();
  await state.create(newResource(Ints, "a", { value: 1 }));
  await seen(state, Doubles.type, "a");
  stop.abort();
  await running;
});
