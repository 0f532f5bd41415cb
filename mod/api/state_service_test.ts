import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { defineResource, MemoryState, newMetadata, newResource, OpaqueSpec, type WatchEvent } from "../cosi/mod.ts";
import { field } from "../schema/mod.ts";
import { FilteredState } from "../cosi/mod.ts";
import { clientRule } from "./access_filter.ts";
import { ApiError, type CodeName } from "./errors.ts";
import {
  CreateOptionsSchema,
  DestroyRequestSchema,
  ListRequestSchema,
  TeardownAndDestroyRequestSchema,
  TeardownRequestSchema,
  UpdateOptionsSchema,
  WatchRequestSchema,
} from "./gen/cosi/resource/state_pb.ts";
import { LabelTerm_Operation } from "./gen/cosi/resource/resource_pb.ts";
import { ResourceClient } from "./resource_client.ts";
import { ResourceCodec } from "./resource_codec.ts";
import { stateMethods } from "./state_methods.ts";
import { stateHandlers } from "./state_service.ts";
import { Testbed } from "./testbed.ts";

interface Thing {
  readonly name: string;
  readonly size: number;
}
const shape = { name: field.string(1), size: field.uint32(2) };
const Things = defineResource<Thing>()({ type: "Things.test.dev", namespace: "default", fields: shape });
const Secrets = defineResource<Thing>()({
  type: "Secrets.test.dev",
  namespace: "default",
  fields: shape,
  sensitive: true,
});
const KIND = { namespace: "default", type: Things.type };
const pointer = (id: string) => ({ ...KIND, id });
const definition = (type: string) => [Things, Secrets].find((known) => known.type === type);
const METHODS = stateMethods(new ResourceCodec());

/** A node whose state is open for writes, with a client that knows no type. */
async function openBed() {
  const state = new MemoryState();
  const bed = await Testbed.start(stateHandlers(() => state, new ResourceCodec(definition)));
  const api = bed.client(["os:admin"]);
  return { state, bed, api, client: new ResourceClient(api), [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose]() };
}

/** A node as clients of every role see it. */
async function filteredBed() {
  const state = new MemoryState();
  state.createNow(newResource(Things, "a", { name: "a", size: 1 }));
  state.createNow(newResource(Secrets, "s", { name: "s", size: 1 }));
  const catalog = { definition, hasNamespace: (name: string) => name === "default" };
  const handlers = stateHandlers(
    ({ roles }) => new FilteredState(state, clientRule(catalog, () => roles.has("os:admin"))),
    new ResourceCodec(definition),
  );
  return await Testbed.start(handlers);
}

async function codeOf(call: Promise<unknown>): Promise<CodeName | "OK"> {
  try {
    await call;
    return "OK";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

function summary({ type, resource: { metadata }, old }: WatchEvent): string {
  const was = old === undefined ? "" : ` was @${old.metadata.version}`;
  return `${type} ${metadata.id}@${metadata.version}${was}`;
}

/** Takes events until `count` are there. */
async function take(events: AsyncIterable<WatchEvent>, count: number): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

Deno.test("Get and List carry both encodings of a spec, and metadata with awkward label keys", async () => {
  await using bed = await openBed();
  const labels = new Map([["__proto__", "x"], ["", "empty"]]);
  bed.state.createNow(newResource(Things, "a", { name: "first", size: 300 }, { labels, finalizers: ["f"] }));
  const { metadata, spec } = await bed.client.get(pointer("a"));
  ok(spec instanceof OpaqueSpec);
  strictEqual(spec.yaml, "name: first\nsize: 300\n");
  deepStrictEqual(spec.proto, Uint8Array.of(0x0a, 5, ...new TextEncoder().encode("first"), 0x10, 0xac, 0x02));
  strictEqual(metadata.version, 1n);
  deepStrictEqual([...metadata.labels].sort(), [["", "empty"], ["__proto__", "x"]]);
  deepStrictEqual(metadata.created, bed.state.getNow(pointer("a")).metadata.created);
  deepStrictEqual((await bed.client.list(KIND)).map((resource) => resource.metadata.id), ["a"]);
});

Deno.test("List applies label and id queries, and refuses what it cannot understand", async () => {
  await using bed = await openBed();
  for (const id of ["a", "b", "c"]) {
    bed.state.createNow(newResource(Things, id, { name: id, size: 0 }, { labels: new Map([["app", id]]) }));
  }
  const ids = async (query: Parameters<ResourceClient["list"]>[1]) =>
    (await bed.client.list(KIND, query)).map(({ metadata }) => metadata.id).join("");
  strictEqual(await ids({ labels: [[{ key: "app", op: "in", values: ["a", "c"], invert: false }]] }), "ac");
  strictEqual(await ids({ id: "^[bc]$" }), "bc");
  strictEqual(await ids({ labels: [[{ key: "app", op: "equal", values: [], invert: false }]] }), "");
  strictEqual(await codeOf(ids({ id: "(" })), "INVALID_ARGUMENT");
  const refusal = (op: LabelTerm_Operation) => {
    const options = { labelQuery: [{ terms: [{ key: "app", op }] }] };
    return codeOf(Array.fromAsync(bed.api.stream(METHODS.list, create(ListRequestSchema, { ...KIND, options }))));
  };
  strictEqual(await refusal(LabelTerm_Operation.EQUAL), "INVALID_ARGUMENT");
  strictEqual(await refusal(99 as LabelTerm_Operation), "UNIMPLEMENTED");
});

Deno.test("an unknown type comes back byte for byte, and writes end with the codes that clients expect", async () => {
  await using bed = await openBed();
  const foreign = { namespace: "default", type: "Foreigners.test.dev", id: "x" };
  const spec = new OpaqueSpec(Uint8Array.of(0xff, 0, 1), "a: 1 # kept\n");
  const resource = { metadata: newMetadata(foreign, { created: { seconds: 5, nanos: 123_456_789 } }), spec };
  const options = create(CreateOptionsSchema, { owner: "me" });
  const write = () => bed.api.call(METHODS.create, { resource: () => resource, options });
  const created = await write();
  deepStrictEqual((await bed.client.get(foreign)).spec, spec);
  strictEqual(created.metadata.version, 1n);
  strictEqual(await codeOf(write()), "ALREADY_EXISTS");
  const update = (owner: string, expectedPhase?: string, change = {}) =>
    codeOf(bed.api.call(METHODS.update, {
      resource: () => ({ spec, metadata: { ...created.metadata, ...change } }),
      options: create(UpdateOptionsSchema, { owner, ...(expectedPhase === undefined ? {} : { expectedPhase }) }),
    }));
  strictEqual(await update("you"), "PERMISSION_DENIED");
  strictEqual(await update("me", "running", { version: 9n }), "FAILED_PRECONDITION");
  strictEqual(await update("me", "tearingDown"), "INVALID_ARGUMENT");
  strictEqual(await update("me", "nonsense"), "UNKNOWN");
  strictEqual(await update("me", undefined, { id: "missing" }), "NOT_FOUND");
  strictEqual(await update("me", undefined, { finalizers: ["f"] }), "OK");
  const named = { ...foreign, options: { owner: "me" } };
  strictEqual(await codeOf(bed.api.call(METHODS.destroy, create(DestroyRequestSchema, named))), "FAILED_PRECONDITION");
  strictEqual((await bed.api.call(METHODS.teardown, create(TeardownRequestSchema, named))).destroyReady, false);
});

Deno.test("TeardownAndDestroy waits for the last finalizer", async () => {
  await using bed = await openBed();
  const held = bed.state.createNow(newResource(Things, "a", { name: "a", size: 0 }, { finalizers: ["f"] }));
  const done = bed.api.call(METHODS.teardownAndDestroy, create(TeardownAndDestroyRequestSchema, pointer("a")));
  const events = bed.client.watch(pointer("a"));
  for await (const { resource: { metadata, spec } } of events) {
    if (metadata.phase !== "tearingDown") continue;
    const free = { ...bed.state.getNow(pointer("a")).metadata, finalizers: [] };
    bed.state.updateNow({ metadata: free, spec: held.spec }, { expectedPhase: "any" });
    ok(spec instanceof OpaqueSpec);
    break;
  }
  await done;
  strictEqual(await codeOf(bed.client.get(pointer("a"))), "NOT_FOUND");
});

Deno.test("Watch of one object shows its whole life (trace A)", async () => {
  await using bed = await openBed();
  const { state } = bed;
  const update = (change: object) => {
    const { metadata, spec } = state.getNow(pointer("a"));
    state.updateNow({ metadata: { ...metadata, ...change }, spec }, { expectedPhase: "any" });
  };
  const steps = [
    () => state.createNow(newResource(Things, "a", { name: "a", size: 0 })),
    () => update({ finalizers: ["f"] }),
    () => state.teardownNow(pointer("a")),
    () => update({ finalizers: [] }),
    () => state.destroyNow(pointer("a")),
    () => state.createNow(newResource(Things, "a", { name: "again", size: 0 })),
  ];
  const seen: string[] = [];
  for await (const event of bed.client.watch(pointer("a"))) {
    seen.push(summary(event));
    strictEqual(event.bookmark === undefined, seen.length === 1);
    const step = steps.shift();
    if (step === undefined) break;
    step();
  }
  deepStrictEqual(seen, [
    "destroyed a@undefined",
    "created a@1",
    "updated a@2 was @1",
    "updated a@3 was @2",
    "updated a@4 was @3",
    "destroyed a@4",
    "created a@1",
  ]);
});

Deno.test("Watch of a kind starts with its contents, and goes on from a bookmark (trace B)", async () => {
  await using bed = await openBed();
  for (const id of ["b", "a"]) bed.state.createNow(newResource(Things, id, { name: id, size: 0 }));
  const first = await take(bed.client.watch(KIND, { bootstrapContents: true }), 3);
  deepStrictEqual(first.map(summary), ["created a@1", "created b@1", "bootstrapped @undefined"]);
  bed.state.createNow(newResource(Things, "c", { name: "c", size: 0 }));
  const startFromBookmark = first[2]?.bookmark ?? new Uint8Array();
  const watch = (bookmark: Uint8Array) =>
    bed.api.stream(
      METHODS.watch,
      create(WatchRequestSchema, { ...KIND, apiVersion: 1, options: { startFromBookmark: bookmark } }),
    );
  const messages: (readonly WatchEvent[])[] = [];
  for await (const message of watch(startFromBookmark)) if (messages.push(message) === 2) break;
  deepStrictEqual(messages.map((events) => events.map(summary)), [[], ["created c@1"]]);
  strictEqual(await codeOf(Array.fromAsync(watch(new Uint8Array()))), "FAILED_PRECONDITION");
});

Deno.test("Watch with a query rewrites what comes into view and what leaves it (trace C)", async () => {
  await using bed = await openBed();
  const labels = (app: string) => new Map([["app", app]]);
  const update = (app: string, size: number) => {
    const { metadata } = bed.state.getNow(pointer("a"));
    bed.state.updateNow({ metadata: { ...metadata, labels: labels(app) }, spec: { name: "a", size } });
  };
  const query = { labels: [[{ key: "app", op: "equal", values: ["x"], invert: false }]] } as const;
  const events = bed.client.watch(KIND, { ...query, bootstrapContents: true })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await events.next();
    return value === undefined ? "end" : summary(value);
  };
  strictEqual(await next(), "bootstrapped @undefined");
  bed.state.createNow(newResource(Things, "a", { name: "a", size: 0 }, { labels: labels("y") }));
  update("x", 1);
  strictEqual(await next(), "created a@2");
  update("x", 2);
  strictEqual(await next(), "updated a@3 was @2");
  update("z", 3);
  strictEqual(await next(), "destroyed a@4");
  await events.return(undefined);
});

Deno.test("Watch of an empty kind answers at once, hides what old clients do not know (trace D)", async () => {
  await using bed = await openBed();
  const watch = async (apiVersion: number, count: number) => {
    const options = { bootstrapContents: true, bootstrapBookmark: true, aggregated: true };
    const messages: (readonly WatchEvent[])[] = [];
    const request = create(WatchRequestSchema, { ...KIND, apiVersion, options });
    for await (const message of bed.api.stream(METHODS.watch, request)) if (messages.push(message) === count) break;
    return messages;
  };
  const [ready, [bootstrapped, noop] = []] = await watch(1, 2);
  deepStrictEqual(ready, []);
  strictEqual(bootstrapped?.type, "bootstrapped");
  deepStrictEqual(bootstrapped.resource.spec, new OpaqueSpec(undefined, ""));
  strictEqual(bootstrapped.resource.metadata.phase, "running");
  ok(bootstrapped.bookmark);
  strictEqual(noop?.type, "noop");
  deepStrictEqual((await watch(0, 2)).map((events) => events.map(({ type }) => type)), [[], ["noop"]]);
});

Deno.test("Watch with an id that is present but empty is about one object, and refuses what is for kinds", async () => {
  await using bed = await openBed();
  const watch = (options: object) =>
    bed.api.stream(METHODS.watch, create(WatchRequestSchema, { ...KIND, id: "", apiVersion: 1, options }));
  const messages: string[][] = [];
  for await (const events of watch({})) if (messages.push(events.map(summary)) === 2) break;
  deepStrictEqual(messages, [[], ["destroyed @undefined"]]);
  strictEqual(await codeOf(Array.fromAsync(watch({ bootstrapContents: true }))), "UNIMPLEMENTED");
});

Deno.test("a watch that falls behind the history ends with the reason", async () => {
  await using bed = await openBed();
  const text = "x".repeat(100_000);
  const failure = Promise.withResolvers<unknown>();
  const events = bed.client.watch(KIND, { bootstrapContents: true });
  await events.next();
  bed.state.createNow(newResource(Things, "a", { name: text, size: 0 }));
  for (let size = 1; size < 3000; size++) {
    const { metadata } = bed.state.getNow(pointer("a"));
    bed.state.updateNow({ metadata, spec: { name: text, size } });
  }
  (async () => {
    for await (const event of events) if (event.type === "errored") failure.resolve(event.error);
  })().catch((error) => failure.resolve(error));
  ok(/history holds/.test(String(await failure.promise)), String(await failure.promise));
});

const denials: readonly { name: string; roles: string[]; type: string; namespace: string; code: CodeName | "OK" }[] = [
  { name: "a plain type for a reader", roles: ["os:reader"], type: Things.type, namespace: "default", code: "OK" },
  {
    name: "a type that is not there",
    roles: ["os:admin"],
    type: "Ghosts.x.dev",
    namespace: "default",
    code: "PERMISSION_DENIED",
  },
  {
    name: "a namespace that is not there",
    roles: ["os:admin"],
    type: Things.type,
    namespace: "no",
    code: "PERMISSION_DENIED",
  },
  {
    name: "secrets for a reader",
    roles: ["os:reader"],
    type: Secrets.type,
    namespace: "default",
    code: "PERMISSION_DENIED",
  },
  { name: "secrets for an administrator", roles: ["os:admin"], type: Secrets.type, namespace: "default", code: "OK" },
];
for (const { name, roles, type, namespace, code } of denials) {
  Deno.test(`the access filter on ${name}: ${code}`, async () => {
    await using bed = await filteredBed();
    const client = new ResourceClient(bed.client(roles));
    strictEqual(await codeOf(client.list({ namespace, type })), code);
    strictEqual(await codeOf(take(client.watch({ namespace, type }, { bootstrapContents: true }), 1)), code);
  });
}

Deno.test("the access filter refuses writes of everybody", async () => {
  await using bed = await filteredBed();
  const call = bed.client(["os:admin"]).call(METHODS.destroy, create(DestroyRequestSchema, pointer("a")));
  strictEqual(await codeOf(call), "PERMISSION_DENIED");
});
