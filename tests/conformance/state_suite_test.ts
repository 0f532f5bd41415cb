import { FilteredState, MemoryState, openSqliteState } from "../../mod/cosi/mod.ts";
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
