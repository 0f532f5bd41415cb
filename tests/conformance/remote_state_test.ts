import { PlainClient, PlainServer, RemoteState, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";
import { Things } from "./state_fixture.ts";
import { testState } from "./state_suite.ts";

const definition = (type: string) => type === Things.type ? Things : undefined;

testState("RemoteState", async () => {
  await using parts = new AsyncDisposableStack();
  const state = new MemoryState();
  const handlers = stateHandlers(() => state, new ResourceCodec(definition));
  const server = parts.use(new PlainServer({ listen: "127.0.0.1:0", handlers }));
  const client = parts.use(new PlainClient(await server.listen()));
  const opened = parts.move();
  return { state: new RemoteState(client, { definition }), [Symbol.asyncDispose]: () => opened.disposeAsync() };
});
