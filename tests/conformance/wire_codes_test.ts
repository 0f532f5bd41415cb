/** Every row of the table of status codes (5.14), as a client without knowledge of our details sees it. */
import { strictEqual } from "node:assert/strict";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ApiError, ResourceCodec } from "../../mod/api/mod.ts";
import {
  CreateOptionsSchema,
  DestroyRequestSchema,
  GetRequestSchema,
  ListRequestSchema,
  TeardownAndDestroyRequestSchema,
  TeardownRequestSchema,
  UpdateOptionsSchema,
  WatchRequestSchema,
} from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { LabelTerm_Operation } from "../../mod/api/gen/cosi/resource/resource_pb.ts";
import { stateMethods } from "../../mod/api/state_methods.ts";
import { changeMetadata, type Metadata } from "../../mod/cosi/mod.ts";
import { knowsThings, type ServedState, serveMemory } from "./served_state.ts";
import { at, KIND, thing } from "./state_fixture.ts";

const METHODS = stateMethods(new ResourceCodec(knowsThings));
type Call = (served: ServedState) => Promise<unknown>;

const named = (id: string, owner = "") => ({ ...at(id), options: { owner } });
const get = (id: string): Call => ({ client }) => client.call(METHODS.get, create(GetRequestSchema, at(id)));
const destroy = (id: string, owner?: string): Call => ({ client }) =>
  client.call(METHODS.destroy, create(DestroyRequestSchema, named(id, owner)));
const teardown = (id: string, owner?: string): Call => ({ client }) =>
  client.call(METHODS.teardown, create(TeardownRequestSchema, named(id, owner)));
const teardownAndDestroy = (id: string, owner?: string): Call => ({ client }) =>
  client.call(METHODS.teardownAndDestroy, create(TeardownAndDestroyRequestSchema, named(id, owner)));
const list = (options: NonNullable<MessageInitShape<typeof ListRequestSchema>["options"]>): Call => ({ client }) =>
  Array.fromAsync(client.stream(METHODS.list, create(ListRequestSchema, { ...KIND, options })));
const watch = (request: MessageInitShape<typeof WatchRequestSchema>): Call => async ({ client }) => {
  for await (const _ of client.stream(METHODS.watch, create(WatchRequestSchema, { ...KIND, ...request }))) return;
};

const make = (id: string, fields: Partial<Metadata> = {}, owner = ""): Call => ({ client }) =>
  client.call(METHODS.create, {
    resource: () => ({ ...thing(id), metadata: changeMetadata(thing(id).metadata, fields) }),
    options: create(CreateOptionsSchema, { owner }),
  });
const update = (id: string, fields: Partial<Metadata>, owner = "", expectedPhase?: string): Call => ({ client }) =>
  client.call(METHODS.update, {
    resource: () => ({ ...thing(id), metadata: changeMetadata(thing(id).metadata, fields) }),
    options: create(UpdateOptionsSchema, { owner, ...(expectedPhase === undefined ? {} : { expectedPhase }) }),
  });
const term = (op: LabelTerm_Operation, ...value: string[]) => [{ terms: [{ key: "k", op, value }] }];
const pattern = { idQuery: { regexp: "(" } };

/** Objects: `free`, `mine` of an owner, `held` by a finalizer; nothing else. */
const ROWS: readonly (readonly [what: string, call: Call, code: string])[] = [
  ["Get of what is missing", get("no"), "NOT_FOUND"],
  ["Create of what exists", make("free"), "ALREADY_EXISTS"],
  ["Create with another owner than the object's", make("new", { owner: "a" }, "b"), "UNKNOWN"],
  ["Update of what is missing", update("no", { version: 1n }), "NOT_FOUND"],
  ["Update by another owner", update("mine", { version: 1n }, "b"), "PERMISSION_DENIED"],
  ["Update of another version", update("free", { version: 9n }), "FAILED_PRECONDITION"],
  ["Update of a version that was never stored", update("free", { version: undefined }), "FAILED_PRECONDITION"],
  ["Update in another phase", update("free", { version: 1n }, "", "tearingDown"), "INVALID_ARGUMENT"],
  ["Update in a phase that is none", update("free", { version: 1n }, "", "nonsense"), "UNKNOWN"],
  ["Destroy of what is missing", destroy("no"), "NOT_FOUND"],
  ["Destroy by another owner", destroy("mine", "b"), "PERMISSION_DENIED"],
  ["Destroy of what is held", destroy("held"), "FAILED_PRECONDITION"],
  ["Teardown of what is missing", teardown("no"), "NOT_FOUND"],
  ["Teardown by another owner", teardown("mine", "b"), "PERMISSION_DENIED"],
  ["TeardownAndDestroy of what is missing", teardownAndDestroy("no"), "NOT_FOUND"],
  ["TeardownAndDestroy by another owner", teardownAndDestroy("mine", "b"), "PERMISSION_DENIED"],
  [
    "Watch of a kind from a bookmark that is none",
    watch({ options: { startFromBookmark: Uint8Array.of(1) } }),
    "FAILED_PRECONDITION",
  ],
  [
    "Watch of an object from an empty bookmark",
    watch({ id: "a", options: { startFromBookmark: new Uint8Array() } }),
    "FAILED_PRECONDITION",
  ],
  ["List with a pattern that is none", list(pattern), "INVALID_ARGUMENT"],
  ["List with a pattern that is too long", list({ idQuery: { regexp: "a".repeat(1025) } }), "INVALID_ARGUMENT"],
  ["Watch with a pattern that is none", watch({ options: pattern }), "INVALID_ARGUMENT"],
  ["List with an operator that is none", list({ labelQuery: term(99 as LabelTerm_Operation) }), "UNIMPLEMENTED"],
  [
    "Watch with an operator that is none",
    watch({ options: { labelQuery: term(-1 as LabelTerm_Operation) } }),
    "UNIMPLEMENTED",
  ],
  ["List with a term without its value", list({ labelQuery: term(LabelTerm_Operation.LT) }), "INVALID_ARGUMENT"],
  ["List with a token that is none", list({ limit: 1, continue: "?" }), "INVALID_ARGUMENT"],
  ["List with a negative limit", list({ limit: -1 }), "INVALID_ARGUMENT"],
  ["Watch of an object with contents", watch({ id: "a", options: { bootstrapContents: true } }), "UNIMPLEMENTED"],
  [
    "Watch of an object with a label query",
    watch({ id: "a", options: { labelQuery: term(LabelTerm_Operation.EXISTS) } }),
    "UNIMPLEMENTED",
  ],
  ["Watch with contents and tail", watch({ options: { bootstrapContents: true, tailEvents: 1 } }), "UNKNOWN"],
  [
    "Watch of an object with what only kinds have",
    watch({ id: "a", options: { aggregated: true, bootstrapBookmark: true, idQuery: { regexp: "" } } }),
    "OK",
  ],
  ["Get of what is there", get("free"), "OK"],
  ["Update without a phase", update("free", { version: 1n }), "OK"],
  ["Teardown of what is held", teardown("held"), "OK"],
  ["Destroy of what is free", destroy("mine", "a"), "OK"],
];

for (const [what, call, code] of ROWS) {
  Deno.test(`${what} ends with ${code} (5.14)`, async () => {
    await using served = await serveMemory();
    served.state.createNow(thing("free"));
    served.state.createNow(thing("mine"), { owner: "a" });
    const held = thing("held");
    served.state.createNow({ ...held, metadata: changeMetadata(held.metadata, { finalizers: ["f"] }) });
    strictEqual(await codeOf(call(served)), code);
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "OK";
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}
