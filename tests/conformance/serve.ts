/**
 * Serves a bare state without access rules over plain-text gRPC, for suites that run against it from outside.
 *
 * Usage: `deno run -A tests/conformance/serve.ts --listen 127.0.0.1:0 [--store DIR]`, or `--listen unix:PATH`.
 * The first line printed is `listening on ADDRESS`. SIGTERM ends it. No type is known: specs stay as clients sent them.
 * With a folder the state is the one on disk: started again with it, it serves the same data and takes old bookmarks.
 */
import { parseArgs } from "node:util";
import { PlainServer, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { MemoryState, openSqliteState } from "../../mod/cosi/mod.ts";

const { values: { listen, store } } = parseArgs({
  args: Deno.args,
  options: { listen: { type: "string", default: "127.0.0.1:0" }, store: { type: "string" } },
});
const { promise: ended, resolve: end } = Promise.withResolvers<void>();
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, end);

await using parts = new AsyncDisposableStack();
const state = store === undefined
  ? new MemoryState()
  : parts.use(await openSqliteState({ path: `${store}/state.db`, onDamage: (message) => console.error(message) }));
const server = parts.use(new PlainServer({ listen, handlers: stateHandlers(() => state, new ResourceCodec()) }));
console.log(`listening on ${await server.listen()}`);
await ended;
// The listeners would keep the process; what is open is closed by the end of its parts.
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.removeSignalListener(signal, end);
