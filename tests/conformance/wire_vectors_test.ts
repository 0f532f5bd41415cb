/** The wire itself: what clients of every age send and what they rely on (5-B to 5-D, trace D, 10.34 to 10.40). */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ApiError, ResourceCodec, stream, unary } from "../../mod/api/mod.ts";
import { LabelTerm_Operation, ResourceSchema } from "../../mod/api/gen/cosi/resource/resource_pb.ts";
import {
  CreateRequestSchema,
  CreateResponseSchema,
  EventType,
  GetRequestSchema,
  GetResponseSchema,
  ListRequestSchema,
  ListResponseSchema,
  UpdateRequestSchema,
  UpdateResponseSchema,
  WatchRequestSchema,
  type WatchResponse,
  WatchResponseSchema,
} from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";
import { ServedState, serveMemory } from "./served_state.ts";
import { at, KIND, thing } from "./state_fixture.ts";

/** The calls as any other program makes them: generated messages and nothing of ours. */
const GET = unary("/cosi.resource.State/Get", GetRequestSchema, GetResponseSchema);
const LIST = stream("/cosi.resource.State/List", ListRequestSchema, ListResponseSchema);
const CREATE = unary("/cosi.resource.State/Create", CreateRequestSchema, CreateResponseSchema);
const UPDATE = unary("/cosi.resource.State/Update", UpdateRequestSchema, UpdateResponseSchema);
const WATCH = stream("/cosi.resource.State/Watch", WatchRequestSchema, WatchResponseSchema);

const FOREIGN = { namespace: "default", type: "Foreigners.test.dev" };
const SPEC = { protoSpec: Uint8Array.of(0xff, 0, 0x80, 1), yamlSpec: "a:   1 # kept\n\n\tb" };

const LABELS = [["", "empty"], ["__proto__", "x"], ["constructor", "y"]] as const;

function foreign(fields: object = {}, spec: object = SPEC): MessageInitShape<typeof ResourceSchema> {
  const created = { seconds: 5n, nanos: 123_456_789 };
  const labels = Object.fromEntries(LABELS);
  const metadata = { ...FOREIGN, id: "x", version: "undefined", phase: "running", created, labels, ...fields };
  return { metadata, spec };
}

/** So many messages of a watch, then it is left. */
async function messages(
  served: ServedState,
  request: MessageInitShape<typeof WatchRequestSchema>,
  count: number,
): Promise<WatchResponse[]> {
  const seen: WatchResponse[] = [];
  for await (const message of served.client.stream(WATCH, create(WatchRequestSchema, request))) {
    if (seen.push(message) === count) break;
  }
  return seen;
}

const typesOf = ({ event }: WatchResponse) => event.map(({ eventType }) => EventType[eventType]);

Deno.test("an unknown type comes back byte for byte from every call (10.34, 5.22)", async () => {
  await using served = await ServedState.start(new MemoryState(), () => undefined);
  const { client } = served;
  const created = await client.call(CREATE, create(CreateRequestSchema, { resource: foreign() }));
  const got = await client.call(GET, create(GetRequestSchema, { ...FOREIGN, id: "x" }));
  const [listed] = await Array.fromAsync(client.stream(LIST, create(ListRequestSchema, FOREIGN)));
  const watched = await messages(served, { ...FOREIGN, id: "x", apiVersion: 1 }, 2);
  const newResource = foreign({ version: "1" });
  const updated = await client.call(UPDATE, create(UpdateRequestSchema, { newResource }));
  for (
    const resource of [
      created.resource,
      got.resource,
      listed?.resource,
      watched[1]?.event[0]?.resource,
      updated.resource,
    ]
  ) {
    deepStrictEqual([...resource?.spec?.protoSpec ?? []], [...SPEC.protoSpec]);
    strictEqual(resource?.spec?.yamlSpec, SPEC.yamlSpec);
    deepStrictEqual(Object.entries(resource?.metadata?.labels ?? {}).sort(), LABELS);
  }
  strictEqual(updated.resource?.metadata?.version, "2");
});

Deno.test("an empty spec is there and has nothing in it (5.17, 5.22)", async () => {
  await using served = await serveMemory();
  const resource = foreign({}, { protoSpec: new Uint8Array(0) });
  await served.client.call(CREATE, create(CreateRequestSchema, { resource }));
  const bytes: Uint8Array[] = [];
  const decode = (message: Uint8Array) => (bytes.push(message), GET.response.decode(message));
  const call = { ...GET, response: { ...GET.response, decode } };
  await served.client.call(call, create(GetRequestSchema, { ...FOREIGN, id: "x" }));
  deepStrictEqual([...bytes[0]?.subarray(-2) ?? []], [0x12, 0]); // field 2, no bytes
});

Deno.test("options may be left out (10.35, 5.16)", async () => {
  await using served = await serveMemory();
  const { client } = served;
  const { resource } = await client.call(CREATE, create(CreateRequestSchema, { resource: foreign() }));
  strictEqual(resource?.metadata?.owner, "");
  const tearingDown = foreign({ version: "1", phase: "tearingDown" });
  await client.call(UPDATE, create(UpdateRequestSchema, { newResource: tearingDown }));
  const again = foreign({ version: "2", phase: "tearingDown" }); // any phase is fine (5.5)
  strictEqual(
    (await client.call(UPDATE, create(UpdateRequestSchema, { newResource: again }))).resource?.metadata?.version,
    "3",
  );
  strictEqual((await Array.fromAsync(client.stream(LIST, create(ListRequestSchema, FOREIGN)))).length, 1);
  deepStrictEqual((await messages(served, FOREIGN, 1)).map(typesOf), [[]]);
});

for (
  const [what, resource] of [
    ["no metadata", { spec: SPEC }],
    ["no spec", { metadata: foreign().metadata }],
    ["no version", foreign({ version: "" })],
    ["a version that is none", foreign({ version: "-1" })],
    ["a phase that is none", foreign({ phase: "gone" })],
  ] as const
) {
  Deno.test(`a resource with ${what} is refused (5.17, 5.18)`, async () => {
    await using served = await serveMemory();
    const call = served.client.call(CREATE, create(CreateRequestSchema, { resource } as never));
    await rejects(call, (error: unknown) => error instanceof ApiError && error.code === "UNKNOWN");
  });
}

Deno.test("missing times are the epoch, nanoseconds stay, doubled finalizers collapse (5.18, 10.40)", async () => {
  await using served = await serveMemory();
  const { client } = served;
  const fields = { finalizers: ["f", "g", "f"], created: undefined };
  const { resource } = await client.call(CREATE, create(CreateRequestSchema, { resource: foreign(fields) }));
  deepStrictEqual(resource?.metadata?.finalizers, ["f", "g"]);
  const codec = new ResourceCodec();
  const created = { seconds: -1, nanos: 999_999_999 };
  const decoded = codec.decode(codec.encode({ metadata: { ...thing("a").metadata, created }, spec: {} }));
  deepStrictEqual(decoded.metadata.created, created);
});

Deno.test("trace D: a watch of an empty kind, byte for byte what Go clients wait for (5.9 to 5.11, 10.38)", async () => {
  await using served = await serveMemory();
  const options = { bootstrapContents: true, aggregated: true };
  const [ready, contents] = await messages(served, { ...KIND, apiVersion: 1, options }, 2);
  deepStrictEqual(ready?.event, []);
  strictEqual(contents?.event.length, 1);
  const event = contents?.event[0];
  strictEqual(event?.eventType, EventType.BOOTSTRAPPED);
  const { namespace, type, id, version, phase } = event.resource?.metadata ?? {};
  deepStrictEqual({ namespace, type, id, version, phase }, {
    ...KIND,
    ...{ id: "", version: "undefined", phase: "running" },
  });
  deepStrictEqual([event.resource?.spec?.protoSpec.length, event.resource?.spec?.yamlSpec], [0, ""]);
  ok((event.bookmark?.length ?? 0) > 0);
  const old = await messages(served, { ...KIND, options: { ...options, bootstrapBookmark: true } }, 2);
  deepStrictEqual(old.map(typesOf), [[], ["NOOP"]]);
});

Deno.test("an old client gets objects, and neither Bootstrapped nor Errored (5.11, 10.38)", async () => {
  await using served = await ServedState.start(new MemoryState({ max: 8 }));
  served.state.createNow(thing("a"));
  const seen = await messages(served, { ...KIND, options: { bootstrapContents: true } }, 2);
  deepStrictEqual(seen.map(typesOf), [[], ["CREATED"]]);
  const types: string[] = [];
  const overrun = (async () => {
    for await (const message of served.client.stream(WATCH, create(WatchRequestSchema, KIND))) {
      if (types.push(...typesOf(message)) > 0 || message.event.length > 0) continue;
      for (let count = 0; count < 20; count++) served.state.updateNow(served.state.getNow(at("a")));
    }
  })();
  await rejects(overrun, (error: unknown) => error instanceof ApiError && error.code === "ABORTED");
  deepStrictEqual(types, []);
});

Deno.test("the old operator for absence is the inverse of presence (5.6)", async () => {
  await using served = await serveMemory();
  served.state.createNow(thing("with", 0, { k: "v" }));
  served.state.createNow(thing("without"));
  const ids = async (term: object) => {
    const request = create(ListRequestSchema, {
      ...KIND,
      options: { labelQuery: [{ terms: [{ key: "k", ...term }] }] },
    });
    return (await Array.fromAsync(served.client.stream(LIST, request))).map(({ resource }) => resource?.metadata?.id);
  };
  const op = LabelTerm_Operation.NOT_EXISTS;
  deepStrictEqual([await ids({ op }), await ids({ op, invert: true })], [["without"], ["with"]]);
});

Deno.test("an id that is present but empty is that of an object (10.37)", async () => {
  await using served = await serveMemory();
  const [ready, first] = await messages(served, { ...KIND, id: "", apiVersion: 1 }, 2);
  deepStrictEqual(ready?.event, []);
  deepStrictEqual([first && typesOf(first), first?.event[0]?.resource?.metadata?.id], [["DESTROYED"], ""]);
});

Deno.test("single events come one a message, aggregated ones in batches (2.37, 5.7)", async () => {
  await using served = await serveMemory();
  for (const id of ["b", "a"]) served.state.createNow(thing(id));
  const single = await messages(served, { ...KIND, apiVersion: 1, options: { bootstrapContents: true } }, 4);
  deepStrictEqual(single.map(typesOf), [[], ["CREATED"], ["CREATED"], ["BOOTSTRAPPED"]]);
  const options = { bootstrapContents: true, aggregated: true };
  const batches = await messages(served, { ...KIND, apiVersion: 1, options }, 2);
  deepStrictEqual(batches.map(typesOf), [[], ["CREATED", "CREATED", "BOOTSTRAPPED"]]);
  deepStrictEqual(batches[1]?.event.map(({ resource }) => resource?.metadata?.id), ["a", "b", ""]);
});
