/**
 * Two servers in one process, for `api_bench.ts`: our state, and bare grpc-js with equal bytes. Prints their ports.
 * `/bench.Control/Burst` makes so many events on both; `/bench.Control/Cpu` answers with the microseconds used so far.
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import { Server, ServerCredentials, type ServerUnaryCall, type ServerWritableStream } from "@grpc/grpc-js";
import { PlainServer, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { stateMethods } from "../../mod/api/state_methods.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";
import { at, KIND, thing, Things } from "../conformance/state_fixture.ts";

const keep = (bytes: Buffer) => bytes;
const codec = new ResourceCodec((type) => type === Things.type ? Things : undefined);
const state = new MemoryState({ max: 4096 });
state.createNow(thing("a", 5, { app: "x" }));
const ours = new PlainServer({ listen: "127.0.0.1:0", handlers: stateHandlers(() => state, codec) });

const reply = Buffer.from(codec.encodeField(state.getNow(at("a"))));
/** An update with its old object and bookmark. */
const watch = state.watchKindNow(KIND);
state.updateNow(state.getNow(at("a")));
const event = stateMethods(codec).watch.response.encode(watch.take());
watch[Symbol.dispose]();
const streams = new Set<ServerWritableStream<Buffer, Buffer>>();
const bare = new Server({ "grpc.enable_channelz": 0 });

bare.register(
  "/bench.Bare/Get",
  (_: unknown, answer: (error: null, bytes: Buffer) => void) => answer(null, reply),
  keep,
  keep,
  "unary",
);
bare.register(
  "/bench.Bare/Watch",
  (call: ServerWritableStream<Buffer, Buffer>) => {
    streams.add(call);
    call.on("cancelled", () => streams.delete(call));
    call.write(Buffer.alloc(0));
  },
  keep,
  keep,
  "serverStream",
);
bare.register(
  "/bench.Control/Cpu",
  (_: unknown, answer: (error: null, bytes: Buffer) => void) => {
    const { user, system } = process.cpuUsage();
    answer(null, Buffer.from(String(user + system)));
  },
  keep,
  keep,
  "unary",
);
bare.register(
  "/bench.Control/Burst",
  (call: ServerUnaryCall<Buffer, Buffer>, answer: (error: null, bytes: Buffer) => void) => {
    const [kind = "", count = 0] = JSON.parse(call.request.toString()) as [string, number];
    answer(null, Buffer.alloc(0));
    if (kind === "ours") { for (let left = count; left > 0; left--) state.updateNow(state.getNow(at("a"))); }
    else for (const stream of streams) void pour(stream, count);
  },
  keep,
  keep,
  "unary",
);

async function pour(stream: ServerWritableStream<Buffer, Buffer>, count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    if (!stream.write(event)) await new Promise((resolve) => stream.once("drain", resolve));
  }
}

const bound = Promise.withResolvers<number>();
bare.bindAsync(
  "127.0.0.1:0",
  ServerCredentials.createInsecure(),
  (error, port) => error ? bound.reject(error) : bound.resolve(port),
);
console.log(JSON.stringify([await ours.listen(), `127.0.0.1:${await bound.promise}`, KIND]));
