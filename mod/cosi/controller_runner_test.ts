/** What wakes a controller and what does not, and when. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import {
  type Access,
  addFinalizer,
  defineController,
  exclusive,
  FilteredState,
  type Input,
  type Kind,
  MemoryState,
  newResource,
  type Output,
  RegistrationError,
  removeFinalizer,
  Runtime,
  shared,
  watchFor,
  type WatchKindOptions,
  weak,
} from "./mod.ts";
import { at, doubler, Doubles, gone, Ints, Running, seen, Sums } from "./runtime_testbed.ts";

const pass = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A controller whose access is not narrowed; `reconcile` learns which run it is. */
function loop(
  inputs: readonly Input[],
  reconcile: (r: Access, run: number) => Promise<void>,
  outputs: readonly Output[] = [],
) {
  let runs = 0;
  return defineController({
    name: "test.Loop",
    inputs,
    outputs,
    reconcile: (r) => reconcile(r as unknown as Access, ++runs),
  });
}

Deno.test("delays between tries start anew after a success (3.6)", async () => {
  const done = Promise.withResolvers<void>();
  await using running = new Running(new MemoryState(), [
    loop([], async (r, run) => {
      if (run !== 9 && run < 11) throw new Error("not now");
      if (run === 9) r.queueReconcile();
      else done.resolve();
      await pass();
    }),
  ], { backoff: { firstMs: 2, maxMs: 1000 } });
  await done.promise;
  const delays = running.lines.map((line) => Number(/in (\d+) ms/.exec(line)?.[1]));
  strictEqual(delays.length, 9);
  const [before = 0, after = 0] = delays.slice(-2);
  ok(before > after && after <= 3, `${delays}`);
});

Deno.test("inputs that were replaced wake no more, however often they were set (3.25)", async () => {
  const state = new MemoryState();
  await using running = new Running(state, [
    loop([weak(Ints)], async (r, run) => {
      if (run === 1) { for (let time = 0; time < 3; time++) await r.updateInputs([weak(Ints), weak(Doubles)]); }
      if (run === 2) await r.updateInputs([weak(Doubles)]);
    }),
  ]);
  const runs = () => running.runtime.status()[0]?.runs;
  await pass();
  await state.create(newResource(Ints, "a", { value: 1 }));
  await pass();
  strictEqual(runs(), 2);
  await state.create(newResource(Ints, "b", { value: 1 }));
  await pass();
  strictEqual(runs(), 2);
  await state.create(newResource(Doubles, "a", { value: 1 }));
  await pass();
  strictEqual(runs(), 3);
});

Deno.test("reconcileWithin counts from the run that said it, and the earliest time counts", async () => {
  const times: number[] = [];
  const done = Promise.withResolvers<void>();
  await using _ = new Running(new MemoryState(), [
    loop([], (r, run) => {
      times.push(performance.now());
      if (run === 1) r.reconcileWithin(5);
      if (run === 1) r.queueReconcile(); // the next run says anew when
      if (run === 2) r.reconcileWithin(60);
      if (run === 2) r.reconcileWithin(60_000);
      if (run === 3) done.resolve();
      return Promise.resolve();
    }),
  ]);
  await done.promise;
  const [, second = 0, third = 0] = times;
  ok(third - second >= 55 && third - second < 30_000, `${third - second} ms`);
});

Deno.test("who lets go before the controller watches wakes it all the same", async () => {
  const inner = new MemoryState();
  const opening = Promise.withResolvers<void>(), open = Promise.withResolvers<void>();
  class Slow extends FilteredState {
    override async watchKind(kind: Kind, options: WatchKindOptions = {}) {
      if (kind.type === Doubles.type) {
        opening.resolve();
        await open.promise;
      }
      return await super.watchKind(kind, options);
    }
  }
  await inner.create(newResource(Ints, "a", { value: 1 }));
  await using _ = new Running(new Slow(inner, () => {}), [doubler()]);
  await seen(inner, Doubles.type, "a");
  await addFinalizer(inner, at(Doubles.type, "a"), "holder");
  await inner.destroy(at(Ints.type, "a"));
  await watchFor(inner, at(Doubles.type, "a"), { phases: ["tearingDown"] });
  await opening.promise;
  await removeFinalizer(inner, at(Doubles.type, "a"), "holder");
  open.resolve();
  await gone(inner, Doubles.type, "a");
});

Deno.test("a run that ends because the runtime stops has not failed (3.5)", async () => {
  const started = Promise.withResolvers<void>();
  const running = new Running(new MemoryState(), [
    loop([], async (r) => {
      started.resolve();
      await new Promise((_, reject) => r.signal.addEventListener("abort", reject, { once: true }));
    }),
  ]);
  await started.promise;
  await running[Symbol.asyncDispose]();
  const { restarts, lastError, state } = running.runtime.status()[0] ?? {};
  deepStrictEqual({ restarts, lastError, state }, { restarts: 0, lastError: undefined, state: "stopped" });
  deepStrictEqual(running.lines, []);
});

Deno.test("a runtime runs once (3.43)", async () => {
  await using running = new Running(new MemoryState(), []);
  await rejects(running.runtime.run(new AbortController().signal), TypeError);
});

Deno.test("unregister() leaves a type to those who still share it (3.23)", async () => {
  const runtime = new Runtime(new MemoryState());
  const make = (name: string, output: Output) =>
    defineController({ name, inputs: [], outputs: [output], reconcile: () => Promise.resolve() });
  for (const name of ["a", "b"]) runtime.register(make(name, shared(Sums)));
  await runtime.unregister("a");
  throws(() => runtime.register(make("c", exclusive(Sums))), RegistrationError);
  await runtime.unregister("b");
  runtime.register(make("c", exclusive(Sums)));
  await rejects(runtime.unregister("b"), RegistrationError);
});

Deno.test("unregister() closes watches that nobody needs any more, and no others", async () => {
  const inner = new MemoryState();
  const open = new Set<string>();
  class Counted extends FilteredState {
    override async watchKind(kind: Kind, options: WatchKindOptions = {}) {
      const watch = await super.watchKind(kind, options);
      open.add(kind.type);
      return {
        take: () => watch.take(),
        [Symbol.dispose]() {
          open.delete(kind.type);
          watch[Symbol.dispose]();
        },
        [Symbol.asyncIterator]: () => watch[Symbol.asyncIterator](),
      };
    }
  }
  await using running = new Running(new Counted(inner, () => {}), [
    loop([weak(Ints), weak(Sums)], () => Promise.resolve(), [exclusive(Sums)]),
    doubler(),
  ]);
  await pass();
  deepStrictEqual([...open].sort(), [Ints.type, Sums.type]);
  await running.runtime.unregister("test.Loop");
  deepStrictEqual([...open], [Ints.type]);
  await inner.create(newResource(Ints, "a", { value: 1 }));
  await seen(inner, Doubles.type, "a");
});
