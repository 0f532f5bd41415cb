import { PlainClient, PlainServer, RemoteState, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { FilteredState, MemoryState, openSqliteState } from "../../mod/cosi/mod.ts";
import { RUNTIME_DEFINITIONS, testRuntime } from "./runtime_suite.ts";

const definition = (type: string) => RUNTIME_DEFINITIONS.find((known) => known.type === type);

testRuntime("MemoryState", () =>
  Promise.resolve({
    state: new MemoryState(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testRuntime("FilteredState", () =>
  Promise.resolve({
    state: new FilteredState(new MemoryState(), () => {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testRuntime("SqliteState", async () => {
  const folder = await Deno.makeTempDir();
  const state = await openSqliteState({ path: `${folder}/state.db`, definitions: RUNTIME_DEFINITIONS });
  return {
    state,
    async [Symbol.asyncDispose]() {
      await state[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
});

testRuntime("RemoteState", async () => {
  await using parts = new AsyncDisposableStack();
  const state = new MemoryState();
  const handlers = stateHandlers(() => state, new ResourceCodec(definition));
  const server = parts.use(new PlainServer({ listen: "127.0.0.1:0", handlers }));
  const client = parts.use(new PlainClient(await server.listen()));
  const opened = parts.move();
  return { state: new RemoteState(client, { definition }), [Symbol.asyncDispose]: () => opened.disposeAsync() };
});
