/**
 * Serves a bare state without access rules over plain-text gRPC, for suites that run against it from outside.
 *
 * Usage: `deno run -A tests/conformance/serve.ts --listen 127.0.0.1:0`, or `--listen unix:PATH`.
 * The first line printed is `listening on ADDRESS`. SIGTERM ends it. No type is known: specs stay as clients sent them.
 */
import { parseArgs } from "node:util";
import { PlainServer, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";

const { values: { listen } } = parseArgs({
  args: Deno.args,
  options: { listen: { type: "string", default: "127.0.0.1:0" } },
});
const { promise: ended, resolve: end } = Promise.withResolvers<void>();
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, end);

const state = new MemoryState();
await using server = new PlainServer({ listen, handlers: stateHandlers(() => state, new ResourceCodec()) });
console.log(`listening on ${await server.listen()}`);
await ended;
// The listeners would keep the process; what is open is closed by the server's end.
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.removeSignalListener(signal, end);
