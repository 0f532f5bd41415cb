import { create } from "@bufbuild/protobuf";
import {
  type Kind,
  listPage,
  OpaqueSpec,
  type OwnerOption,
  type Page,
  type Pointer,
  type Resource,
  type State,
  teardownAndDestroy,
  type UpdateOptions,
  type Watch,
  type WatchEvent,
  type WatchOptions,
} from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";
import {
  DestroyResponseSchema,
  type ListRequest,
  TeardownAndDestroyResponseSchema,
  TeardownResponseSchema,
  type UpdateOptions as WireUpdateOptions,
  type WatchOptions as WireWatchOptions,
  type WatchRequest,
} from "./gen/cosi/resource/state_pb.ts";
import { type CallContext, type Handler, handleStream, handleUnary, type StreamContext } from "./handler.ts";
import { queryFromWire } from "./query_codec.ts";
import type { ResourceCodec } from "./resource_codec.ts";
import { stateMethods } from "./state_methods.ts";

type ReadList = Pick<Page, "resources"> & Partial<Page>;
/** A page without a limit holds all that is left. */
const MAX_LIMIT = 0x7fffffff;
/** A batch of more events than this goes out in several messages. */
const MANY_EVENTS = 64;
/** About how large such a message gets: clients take no more than a few MiB. */
const MESSAGE_BYTES = 1 << 20;

/**
 * `cosi.resource.State` over a state (cosi.md 5-C).
 * @param stateFor the state as the caller may see it.
 */
export function stateHandlers(stateFor: (context: CallContext) => State, codec: ResourceCodec): Handler[] {
  const methods = stateMethods(codec);
  return [
    handleUnary(methods.get, (pointer, context) => stateFor(context).get(pointerOf(pointer))),
    handleStream(methods.list, async (request, context) => {
      const { resources, continueToken = "" } = await readList(stateFor(context), request);
      const last = resources.length - 1;
      for (const [at, resource] of resources.entries()) {
        const full = context.send({ resource, next: at === last ? continueToken : "" });
        if (full !== undefined) await full;
        if (context.signal.aborted) return;
      }
    }),
    handleUnary(
      methods.create,
      ({ resource, options }, context) => stateFor(context).create(resource(), ownerOf(options)),
    ),
    handleUnary(
      methods.update,
      ({ resource, options }, context) => stateFor(context).update(resource(), updateOptionsOf(options)),
    ),
    handleUnary(methods.destroy, async (request, context) => {
      await stateFor(context).destroy(pointerOf(request), ownerOf(request.options));
      return create(DestroyResponseSchema);
    }),
    handleUnary(methods.teardown, async (request, context) => {
      const destroyReady = await stateFor(context).teardown(pointerOf(request), ownerOf(request.options));
      return create(TeardownResponseSchema, { destroyReady });
    }),
    handleUnary(methods.teardownAndDestroy, async (request, context) => {
      await teardownAndDestroy(stateFor(context), pointerOf(request), ownerOf(request.options), context.signal);
      return create(TeardownAndDestroyResponseSchema);
    }),
    handleStream(methods.watch, (request, context) => serveWatch(stateFor(context), codec, request, context)),
  ];
}

/** Everything, or the page that is asked for. */
async function readList(state: State, { namespace, type, options }: ListRequest): Promise<ReadList> {
  if (options === undefined) return { resources: await state.list({ namespace, type }) };
  const query = queryFromWire(options);
  const { limit, continue: continueToken } = options;
  if (limit === 0 && continueToken === "") return { resources: await state.list({ namespace, type }, query) };
  const token = continueToken === "" ? {} : { continueToken };
  return await listPage(state, { namespace, type }, { ...query, ...token, limit: limit === 0 ? MAX_LIMIT : limit });
}

function pointerOf({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}

function ownerOf(options: { readonly owner: string } | undefined): OwnerOption {
  return options === undefined || options.owner === "" ? {} : { owner: options.owner };
}

/** On the wire an absent phase means any (clause 5.5). */
function updateOptionsOf(options: WireUpdateOptions): UpdateOptions {
  const { expectedPhase = "any" } = options;
  if (expectedPhase !== "any" && expectedPhase !== "running" && expectedPhase !== "tearingDown") {
    throw new ApiError("UNKNOWN", `Cannot update: phase "${expectedPhase}" is neither "running" nor "tearingDown"`);
  }
  return { ...ownerOf(options), expectedPhase };
}

/**
 * Answers a watch: an empty message once it is established, then events. The state's history is the only buffer: a
 * client that reads too slowly overruns it, and its stream ends with the reason.
 */
async function serveWatch(
  state: State,
  codec: ResourceCodec,
  request: WatchRequest,
  context: StreamContext<readonly WatchEvent[]>,
): Promise<void> {
  using watch = await openWatch(state, request);
  context.signal.addEventListener("abort", () => watch[Symbol.dispose](), { once: true });
  if (context.signal.aborted) return;
  context.send([]);
  const isAggregated = request.id === undefined && request.options?.aggregated === true;
  const isBare = request.options?.metadataOnly === true;
  for await (const batch of watch) {
    const known = request.apiVersion >= 1 ? batch : batch.filter(isKnownToOldClients);
    const events = isBare ? known.map(bareEvent) : known;
    if (isAggregated) {
      for (const message of messagesOf(events, codec)) await context.send(message);
    } else {
      for (const event of events) {
        const full = context.send([event]);
        if (full !== undefined) await full;
      }
    }
    const last = batch.at(-1);
    if (last?.type === "errored" && last.error !== undefined) throw last.error;
  }
}

function isKnownToOldClients({ type }: WatchEvent): boolean {
  return type !== "bootstrapped" && type !== "errored";
}

/** A batch as one message, or as several when it is large. */
function messagesOf(events: readonly WatchEvent[], codec: ResourceCodec): readonly (readonly WatchEvent[])[] {
  if (events.length <= MANY_EVENTS) return events.length === 0 ? [] : [events];
  const messages: WatchEvent[][] = [];
  let message: WatchEvent[] = [];
  let size = 0;
  for (const event of events) {
    size += codec.encodeField(event.resource).length;
    if (size > MESSAGE_BYTES && message.length > 0) {
      messages.push(message);
      message = [];
      size = 0;
    }
    message.push(event);
  }
  messages.push(message);
  return messages;
}

const NO_SPEC = Object.freeze(new OpaqueSpec(undefined, ""));
const bareEvents = new WeakMap<WatchEvent, WatchEvent>();

/** The event without specs; the same one for all who ask. */
function bareEvent(event: WatchEvent): WatchEvent {
  let bare = bareEvents.get(event);
  if (bare === undefined) {
    const { type, resource, old, error, bookmark } = event;
    bare = { type, resource: bareResource(resource), old: old && bareResource(old), error, bookmark };
    bareEvents.set(event, bare);
  }
  return bare;
}

function bareResource({ metadata }: Resource): Resource {
  return { metadata, spec: NO_SPEC };
}

function openWatch(state: State, { namespace, type, id, options }: WatchRequest): Promise<Watch> {
  if (options === undefined) {
    return id === undefined ? state.watchKind({ namespace, type }) : state.watch({ namespace, type, id });
  }
  const { tailEvents, startFromBookmark, coalesce, resync } = options;
  const start = {
    ...(tailEvents > 0 ? { tailEvents } : {}),
    ...(startFromBookmark === undefined ? {} : { startFromBookmark }),
    ...{ coalesce, resync },
  };
  if (id === undefined) return openKindWatch(state, { namespace, type }, options, start);
  if (options.bootstrapContents || options.labelQuery.length > 0) {
    throw new ApiError("UNIMPLEMENTED", "Cannot watch one object: bootstrap contents and label queries are for kinds");
  }
  return state.watch({ namespace, type, id }, start);
}

function openKindWatch(state: State, kind: Kind, options: WireWatchOptions, start: WatchOptions): Promise<Watch> {
  const { bootstrapContents, bootstrapBookmark } = options;
  return state.watchKind(kind, { ...start, ...queryFromWire(options), bootstrapContents, bootstrapBookmark });
}
