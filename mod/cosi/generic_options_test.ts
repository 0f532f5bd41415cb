/** What generic controllers can be told beside the mapping itself (4.2, 4.12, 4.13, 4.25). */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  type Controller,
  defineDestroy,
  defineQTransform,
  defineTransform,
  MemoryState,
  newResource,
  type QController,
  qMapped,
  shared,
  watchFor,
} from "./mod.ts";
import { at, Doubles, Ints, Running, seen, Sums } from "./runtime_testbed.ts";

const edges = ({ runtime }: Running) => runtime.dependencies().map(({ edge, type }) => `${edge} ${type}`);
const other = (controller: (name: string) => Controller | QController) => controller("test.Other");

Deno.test("a transform may share its outputs, be woken from outside, and hear of the end of the runtime (4.2)", async () => {
  const state = new MemoryState();
  let factor = 2, isShut = false;
  const wakes = new Set<() => void>();
  const transform = (name: string) =>
    defineTransform({
      name,
      from: Ints,
      to: Doubles,
      output: "shared",
      outputs: [shared(Sums)],
      wakeOn: [{
        subscribe(wake) {
          wakes.add(wake);
          return { [Symbol.dispose]: () => void wakes.delete(wake) };
        },
      }],
      async map({ metadata, spec }, r) {
        if (name !== "test.Scaled") return undefined;
        await r.modify(Sums, metadata.id, spec);
        return { spec: { value: spec.value * factor } };
      },
      shutdown: () => void (isShut = true),
    });
  await state.create(newResource(Ints, "a", { value: 1 }));
  {
    await using running = new Running(state, [transform("test.Scaled"), other(transform)]);
    await seen(state, Doubles.type, "a", ({ value }) => value === 2);
    factor = 3;
    for (const wake of wakes) wake();
    await seen(state, Doubles.type, "a", ({ value }) => value === 3);
    deepStrictEqual(edges(running).filter((edge) => edge.startsWith("output")), [
      ...[Doubles.type, Sums.type, Doubles.type, Sums.type].map((type) => `outputShared ${type}`),
    ]);
    strictEqual(isShut, false);
  }
  deepStrictEqual([isShut, wakes.size], [true, 0]);
});

Deno.test("a queued transform maps what a mapped input names, the same id unless told otherwise (4.12, 4.13)", async () => {
  const state = new MemoryState();
  let atWork = 0, most = 0;
  const transform = (name: string, mapInput?: () => readonly string[]) =>
    defineQTransform({
      name,
      from: Ints,
      to: Doubles,
      inputs: [qMapped(Sums)],
      output: "shared",
      concurrency: 3,
      ...(mapInput === undefined ? {} : { mapInput }),
      outputId: ({ metadata: { id } }) => `${name} ${id}`,
      inputId: (id) => id.slice(name.length + 1),
      async map({ metadata: { id } }, r) {
        most = Math.max(most, ++atWork);
        await new Promise((resolve) => setImmediate(resolve));
        atWork--;
        return { spec: { value: (await r.get(Sums, id))?.spec.value ?? 0 } };
      },
    });
  for (const id of ["a", "b", "c", "d"]) await state.create(newResource(Ints, id, { value: 1 }));
  await using running = new Running(state, [transform("same"), transform("none", () => [])]);
  for (const name of ["same", "none"]) for (const id of ["a", "d"]) await seen(state, Doubles.type, `${name} ${id}`);
  while (running.runtime.status().some(({ state }) => state !== "idle")) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await state.create(newResource(Sums, "a", { value: 7 }));
  await seen(state, Doubles.type, "same a", ({ value }) => value === 7);
  await seen(state, Doubles.type, "none a", ({ value }) => value === 0);
  strictEqual(most > 1, true);
  strictEqual(running.runtime.metrics().qcontroller_mapped_out.get("none"), 0);
  deepStrictEqual(edges(running).slice(0, 2), Array(2).fill(`outputShared ${Doubles.type}`));
});

Deno.test("a destroying controller is named for its type, and shares it (4.25)", async () => {
  const state = new MemoryState();
  await using running = new Running(state, [defineDestroy(Ints, { concurrency: 2 })]);
  strictEqual(running.runtime.status()[0]?.name, "Destroy[Ints.test.dev]");
  deepStrictEqual(edges(running), [`outputShared ${Ints.type}`, `inputQPrimary ${Ints.type}`]);
  await state.create(newResource(Ints, "a", { value: 1 }));
  await addFinalizer(state, at(Ints.type, "a"), "holder");
  await state.teardown(at(Ints.type, "a"));
  await watchFor(state, at(Ints.type, "a"), { phases: ["tearingDown"] });
});
