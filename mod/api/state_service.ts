import { create } from "@bufbuild/protobuf";
import {
  type Kind,
  type OwnerOption,
  type Pointer,
  type State,
  teardownAndDestroy,
  type UpdateOptions,
  type Watch,
  type WatchEvent,
} from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";
import {
  DestroyResponseSchema,
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

/**
 * `cosi.resource.State` over a state (cosi.md 5-C).
 * @param stateFor the state as the caller may see it.
 */
export function stateHandlers(stateFor: (context: CallContext) => State, codec: ResourceCodec): Handler[] {
  const methods = stateMethods(codec);
  return [
    handleUnary(methods.get, (pointer, context) => stateFor(context).get(pointerOf(pointer))),
    handleStream(methods.list, async ({ namespace, type, options }, context) => {
      const query = options === undefined ? {} : queryFromWire(options);
      for (const resource of await stateFor(context).list({ namespace, type }, query)) {
        const full = context.send(resource);
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
    handleStream(methods.watch, (request, context) => serveWatch(stateFor(context), request, context)),
  ];
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
  request: WatchRequest,
  context: StreamContext<readonly WatchEvent[]>,
): Promise<void> {
  using watch = await openWatch(state, request);
  context.signal.addEventListener("abort", () => watch[Symbol.dispose](), { once: true });
  if (context.signal.aborted) return;
  context.send([]);
  const isAggregated = request.id === undefined && request.options?.aggregated === true;
  for await (const batch of watch) {
    const events = request.apiVersion >= 1 ? batch : batch.filter(isKnownToOldClients);
    for (const message of isAggregated && events.length > 0 ? [events] : events.map((event) => [event])) {
      const full = context.send(message);
      if (full !== undefined) await full;
    }
    const error = batch.at(-1)?.error;
    if (error !== undefined) throw error;
  }
}

function isKnownToOldClients({ type }: WatchEvent): boolean {
  return type !== "bootstrapped" && type !== "errored";
}

function openWatch(state: State, { namespace, type, id, options }: WatchRequest): Promise<Watch> {
  const start = options === undefined ? {} : {
    ...(options.tailEvents > 0 ? { tailEvents: options.tailEvents } : {}),
    ...(options.startFromBookmark === undefined ? {} : { startFromBookmark: options.startFromBookmark }),
  };
  if (id === undefined) return openKindWatch(state, { namespace, type }, options, start);
  if (options?.bootstrapContents || (options?.labelQuery.length ?? 0) > 0) {
    throw new ApiError("UNIMPLEMENTED", "Cannot watch one object: bootstrap contents and label queries are for kinds");
  }
  return state.watch({ namespace, type, id }, start);
}

function openKindWatch(
  state: State,
  kind: Kind,
  options: WireWatchOptions | undefined,
  start: { tailEvents?: number; startFromBookmark?: Uint8Array },
): Promise<Watch> {
  if (options === undefined) return state.watchKind(kind);
  const { bootstrapContents, bootstrapBookmark } = options;
  return state.watchKind(kind, { ...start, ...queryFromWire(options), bootstrapContents, bootstrapBookmark });
}
