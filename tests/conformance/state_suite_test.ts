import { FilteredState, MemoryState, NamespacedState, openSqliteState } from "../../mod/cosi/mod.ts";
import { Things } from "./state_fixture.ts";
import { testState } from "./state_suite.ts";

testState("MemoryState", () =>
  Promise.resolve({
    state: new MemoryState(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testState("FilteredState", () =>
  Promise.resolve({
    state: new FilteredState(new MemoryState(), () => {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testState("NamespacedState", () => {
  const states = new Map<string, MemoryState>();
  const choose = ({ namespace }: { namespace: string }) => {
    const state = states.get(namespace) ?? new MemoryState();
    states.set(namespace, state);
    return state;
  };
  return Promise.resolve({ state: new NamespacedState(choose), [Symbol.asyncDispose]: () => Promise.resolve() });
});

for (const [name, key] of [["SqliteState", undefined], ["SqliteState, encrypted", new Uint8Array(32)]] as const) {
  testState(name, async () => {
    const folder = await Deno.makeTempDir();
    const state = await openSqliteState({
      path: `${folder}/state.db`,
      definitions: [Things],
      ...(key === undefined ? {} : { key }),
    });
    return {
      state,
      async [Symbol.asyncDispose]() {
        await state[Symbol.asyncDispose]();
        await Deno.remove(folder, { recursive: true });
      },
    };
  });
}
