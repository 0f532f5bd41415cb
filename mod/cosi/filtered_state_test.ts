import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { FilteredState, isReadVerb, MemoryState, newMetadata } from "./mod.ts";

const KIND = { namespace: "n", type: "Things.test.dev" };
const pointer = { ...KIND, id: "a" };

Deno.test("FilteredState asks the rule before each access and passes its error on", async () => {
  const asked: string[] = [];
  const denied = new Error("denied");
  const state = new FilteredState(new MemoryState(), (namespace, type, id, verb) => {
    asked.push(`${namespace} ${type} ${id} ${verb}`);
    if (!isReadVerb(verb)) throw denied;
  });
  const resource = { metadata: newMetadata(pointer), spec: {} };
  await rejects(state.create(resource), denied);
  await rejects(state.update(resource), denied);
  await rejects(state.teardown(pointer), denied);
  await rejects(state.destroy(pointer), denied);
  strictEqual((await state.list(KIND)).length, 0);
  await rejects(state.get(pointer));
  (await state.watch(pointer))[Symbol.dispose]();
  (await state.watchKind(KIND))[Symbol.dispose]();
  deepStrictEqual(asked.map((line) => line.slice("n Things.test.dev ".length)), [
    ...["a create", "a update", "a teardown", "a destroy"],
    ...[" list", "a get", "a watch", " watch"],
  ]);
});
