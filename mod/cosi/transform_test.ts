import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { field } from "../schema/mod.ts";
import {
  addFinalizer,
  type Controller,
  defineResource,
  defineTransform,
  MemoryState,
  newResource,
  removeFinalizer,
  type Resource,
  Runtime,
  type State,
  updateWithConflicts,
  watchFor,
  weak,
  withSpec,
} from "./mod.ts";

interface Int {
  value: number;
}
interface Str {
  text: string;
}
const Ints = defineResource<Int>()({ type: "Ints.test.dev", namespace: "a", fields: { value: field.int32(1) } });
const Strs = defineResource<Str>()({ type: "Strs.test.dev", namespace: "b", fields: { text: field.string(1) } });
const Units = defineResource<Str>()({ type: "Units.test.dev", namespace: "b", fields: { text: field.string(1) } });
const int = (id: string) => ({ namespace: "a", type: Ints.type, id });
const str = (id: string) => ({ namespace: "b", type: Strs.type, id });

function start(state: State, controllers: readonly Controller[]): AsyncDisposable & { lines: string[] } {
  const stop = new AbortController();
  const lines: string[] = [];
  const runtime = new Runtime(state, {
    log: (_name, _level, message) => void lines.push(message),
    backoff: { firstMs: 1, maxMs: 2 },
  });
  for (const controller of controllers) runtime.register(controller);
  const ended = runtime.run(stop.signal);
  return {
    lines,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

const hasText = (text: string) => ({ condition: ({ spec }: Resource) => (spec as Str).text === text });
const set = (state: State, id: string, value: number) =>
  updateWithConflicts(state, int(id), (current) => withSpec(current, { value }));

Deno.test("defineTransform() follows its inputs, also extra ones, and drops what is not mapped", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "x", { value: 1 }));
  await using _ = start(state, [
    defineTransform({
      name: "test.IntToStrController",
      from: Ints,
      to: Strs,
      inputs: [weak(Units)],
      async map({ spec, metadata }, r) {
        if (spec.value < 0) return undefined;
        const unit = await r.get(Units, "unit");
        const labels = new Map([["from", metadata.id]]);
        return { id: `str-${metadata.id}`, spec: { text: `${spec.value}${unit?.spec.text ?? ""}` }, labels };
      },
    }),
  ]);
  const first = await watchFor(state, str("str-x"), hasText("1"));
  strictEqual(first.metadata.labels.get("from"), "x");
  strictEqual(first.metadata.owner, "test.IntToStrController");
  await set(state, "x", 2);
  await watchFor(state, str("str-x"), hasText("2"));
  await state.create(newResource(Units, "unit", { text: "m" }));
  await watchFor(state, str("str-x"), hasText("2m"));
  await set(state, "x", -1);
  await watchFor(state, str("str-x"), { types: ["destroyed"] });
  await set(state, "x", 3);
  await watchFor(state, str("str-x"), hasText("3m"));
  await state.teardown(int("x"));
  await watchFor(state, str("str-x"), { types: ["destroyed"] });
});

Deno.test("defineTransform() holds its inputs until their outputs are gone and the end was handled", async () => {
  const state = new MemoryState();
  const ended: string[] = [];
  await using _ = start(state, [
    defineTransform({
      name: "test.HoldingController",
      from: Ints,
      to: Strs,
      map: ({ spec }) => ({ spec: { text: String(spec.value) } }),
      finalize: ({ metadata }) => void ended.push(metadata.id),
    }),
  ]);
  await state.create(newResource(Ints, "x", { value: 1 }));
  await watchFor(state, str("x"), hasText("1"));
  await addFinalizer(state, str("x"), "reader");
  strictEqual(await state.teardown(int("x")), false);
  await watchFor(state, str("x"), { phases: ["tearingDown"] });
  deepStrictEqual((await state.get(int("x"))).metadata.finalizers, ["test.HoldingController"]);
  await removeFinalizer(state, str("x"), "reader");
  await watchFor(state, str("x"), { types: ["destroyed"] });
  await watchFor(state, int("x"), { finalizersEmpty: true });
  await state.destroy(int("x"));
  ok(ended.length > 0);
});

Deno.test("defineTransform() keeps the output of an input that cannot be mapped, and serves the others", async () => {
  const state = new MemoryState();
  await state.create(newResource(Ints, "bad", { value: 1 }));
  await using running = start(state, [
    defineTransform({
      name: "test.PickyController",
      from: Ints,
      to: Strs,
      map({ spec, metadata }) {
        if (spec.value === 13) throw new Error("unlucky");
        return { id: `s-${metadata.id}`, spec: { text: String(spec.value) } };
      },
    }),
  ]);
  await watchFor(state, str("s-bad"), hasText("1"));
  await set(state, "bad", 13);
  await state.create(newResource(Ints, "good", { value: 2 }));
  await watchFor(state, str("s-good"), hasText("2"));
  strictEqual(((await state.get(str("s-bad"))).spec as Str).text, "1");
  await set(state, "bad", 14);
  await watchFor(state, str("s-bad"), hasText("14"));
  ok(running.lines.some((line) => line.includes("unlucky")));
});
