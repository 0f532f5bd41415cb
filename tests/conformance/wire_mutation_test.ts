/** Whatever bytes come, each call ends with a code, the server goes on, and its memory does not grow. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { ApiError, type Method } from "../../mod/api/mod.ts";
import {
  CreateRequestSchema,
  DestroyRequestSchema,
  GetRequestSchema,
  ListRequestSchema,
  UpdateRequestSchema,
  WatchRequestSchema,
} from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { MemoryState, newMetadata, OpaqueSpec } from "../../mod/cosi/mod.ts";
import { numberOf, SeededRandom, testSeed } from "./seeded_random.ts";
import { ServedState } from "./served_state.ts";
import { at, KIND } from "./state_fixture.ts";

const MESSAGES = numberOf("TEST_MUTATIONS", 20_000);
const AT_ONCE = 64;
const bytesCodec = { encode: (bytes: Uint8Array) => Buffer.from(bytes), decode: (bytes: Uint8Array) => bytes };
type RawMethod<K extends "unary" | "stream"> = Method<Uint8Array, Uint8Array, K>;
const raw = <K extends "unary" | "stream">(kind: K, path: string): RawMethod<K> => ({
  ...{ kind, path, request: bytesCodec, response: bytesCodec },
});

const resource = {
  metadata: {
    ...at("a"),
    ...{ version: "1", phase: "running", owner: "me", created: { seconds: 5n, nanos: 7 }, updated: { seconds: 6n } },
    ...{ finalizers: ["f", "g"], labels: { app: "x", ["__proto__"]: "y" }, annotations: { note: "long ".repeat(20) } },
  },
  spec: { protoSpec: Uint8Array.of(8, 1), yamlSpec: "value: 1\n" },
};
const query = { labelQuery: [{ terms: [{ key: "app", op: 1, value: ["x"] }, { key: "n", op: 6, value: ["5"] }] }] };
/** Valid requests, which the others are made from. */
const SEEDS: readonly (readonly [path: string, request: Uint8Array])[] = [
  ["Get", toBinary(GetRequestSchema, create(GetRequestSchema, at("a")))],
  ["List", toBinary(ListRequestSchema, create(ListRequestSchema, { ...KIND, options: { ...query, limit: 3 } }))],
  ["Create", toBinary(CreateRequestSchema, create(CreateRequestSchema, { resource, options: { owner: "me" } }))],
  ["Update", toBinary(UpdateRequestSchema, create(UpdateRequestSchema, { newResource: resource, options: {} }))],
  ["Destroy", toBinary(DestroyRequestSchema, create(DestroyRequestSchema, { ...at("a"), options: { owner: "me" } }))],
  ["Teardown", toBinary(DestroyRequestSchema, create(DestroyRequestSchema, { ...at("a"), options: {} }))],
  ["TeardownAndDestroy", toBinary(DestroyRequestSchema, create(DestroyRequestSchema, { ...at("b"), options: {} }))],
  [
    "Watch",
    toBinary(
      WatchRequestSchema,
      create(WatchRequestSchema, {
        ...KIND,
        apiVersion: 1,
        options: { ...query, bootstrapContents: true, aggregated: true, idQuery: { regexp: "^a" } },
      }),
    ),
  ],
];

/** One or two changes: bits, bytes, cuts, doubled parts, lengths that lie, and parts of another message. */
function mutate(random: SeededRandom, seed: Uint8Array, other: Uint8Array): Uint8Array {
  let bytes = [...seed];
  for (let left = 1 + random.below(2); left > 0; left--) {
    const place = random.below(bytes.length + 1), length = random.below(16);
    const flipped = (bytes[place] ?? 0) ^ 1 << random.below(8);
    switch (random.below(7)) {
      case 0:
        bytes[place] = flipped;
        break;
      case 1:
        bytes[place] = random.below(256);
        break;
      case 2:
        bytes.splice(place, length);
        break;
      case 3:
        bytes = bytes.slice(0, place);
        break;
      case 4:
        bytes.splice(place, 0, ...bytes.slice(place, place + length));
        break;
      case 5:
        bytes.splice(place, 1, 0xff, 0xff, 0xff, 0xff, random.below(256));
        break;
      default:
        bytes.splice(place, 0, ...other.slice(random.below(other.length)).slice(0, 4 * length));
    }
  }
  return Uint8Array.from(bytes);
}

/** The code that a call with these bytes ends with; a stream is left after its first message. */
async function outcome({ client }: ServedState, name: string, request: Uint8Array): Promise<string> {
  const path = `/cosi.resource.State/${name}`;
  const limit = { timeoutMs: 2000 };
  try {
    if (name === "List" || name === "Watch") {
      for await (const _ of client.stream(raw("stream", path), request, limit)) break;
    } else await client.call(raw("unary", path), request, limit);
    return "OK";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // it may have met an object that a mutated message made with finalizers, and waits for them as it should
    return name === "TeardownAndDestroy" && error.code === "DEADLINE_EXCEEDED" ? "OK" : error.code;
  }
}

async function answers(served: ServedState): Promise<void> {
  strictEqual((await served.remote().get({ ...KIND, type: "Safe.conformance.dev", id: "safe" })).metadata.id, "safe");
}

async function serve(): Promise<ServedState> {
  const served = await ServedState.start(new MemoryState(), () => undefined);
  const metadata = newMetadata({ ...KIND, type: "Safe.conformance.dev", id: "safe" });
  served.state.createNow({ metadata, spec: new OpaqueSpec(undefined, "") });
  return served;
}

Deno.test(`${MESSAGES} mutated messages get a code each, and the server goes on`, async () => {
  await using served = await serve();
  const random = new SeededRandom(testSeed("mutated messages"));
  const codes = new Map<string, number>();
  let warm = Infinity;
  for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) {
    if (sent > MESSAGES / 2 && warm === Infinity) warm = Deno.memoryUsage().rss;
    const calls = Array.from({ length: AT_ONCE }, () => {
      const [name, seed] = SEEDS[random.below(SEEDS.length)] ?? ["Get", new Uint8Array()];
      const [, other] = SEEDS[random.below(SEEDS.length)] ?? ["Get", new Uint8Array()];
      return outcome(served, name, mutate(random, seed, other));
    });
    for (const code of await Promise.all(calls)) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  console.log([...codes].map(([code, count]) => `${code} ${count}`).join(", "));
  deepStrictEqual(["UNAVAILABLE", "DEADLINE_EXCEEDED"].filter((code) => codes.has(code)), []);
  ok(codes.size >= 5);
  await answers(served);
  const grown = Deno.memoryUsage().rss - warm;
  ok(grown < 200 << 20, `the second half took ${grown >> 20} MiB`);
});

for (
  const [what, name, request] of [
    ["groups nested a million deep", "Get", new Uint8Array(1 << 20).fill(0x0b)],
    ["groups nested a million deep", "Create", new Uint8Array(1 << 20).fill(0x0b)],
    ["a length of 4 GiB", "Create", Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["text that is no UTF-8", "Get", Uint8Array.of(0x0a, 2, 0xc3, 0x28)],
    ["a number that never ends", "Watch", new Uint8Array(100).fill(0xff)],
  ] as const
) {
  Deno.test(`${what} in a message for ${name} is an error of that call only`, async () => {
    await using served = await serve();
    const code = await outcome(served, name, request);
    ok(code !== "UNAVAILABLE" && code !== "DEADLINE_EXCEEDED", code);
    await answers(served);
  });
}

/** Sends bytes on a connection of their own and waits for its end. */
function throwAt(port: number, bytes: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket: Socket = connect({ host: "127.0.0.1", port }, () => void socket.end(bytes));
  socket.on("error", () => {}); // the server may have hung up on it already
  socket.on("data", () => {});
  socket.on("close", () => resolve());
  return promise;
}

Deno.test("bytes that are no HTTP/2 end their own connection only", async () => {
  await using served = await serve();
  const random = new SeededRandom(testSeed("no HTTP/2"));
  const preface = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const noise = () => Uint8Array.from({ length: random.below(300) }, () => random.below(256));
  for (let turn = 0; turn < 100; turn++) {
    const bytes = turn % 2 === 0 ? noise() : Uint8Array.of(...preface, ...noise());
    await throwAt(Number(served.address.split(":").at(-1)), bytes);
  }
  await answers(served);
});
