import { create } from "@bufbuild/protobuf";
import type { Kind, WatchKindOptions } from "../cosi/mod.ts";
import {
  type WatchOptions,
  WatchOptionsSchema,
  type WatchRequest,
  WatchRequestSchema,
} from "./gen/cosi/resource/state_pb.ts";
import { queryToWire } from "./query_codec.ts";

/** What a watch is about. */
export interface WatchTarget {
  readonly kind: Kind;
  /** One object, or undefined for all. */
  readonly id: string | undefined;
}

/** `first` as it was asked for, `resume` behind a bookmark, `restart` with what there is now. */
export type WatchMode = "first" | "resume" | "restart";

/**
 * The request of a watch. That of a kind asks for a bookmark at once, so that the watch can be resumed before anything
 * happened; the consumer who did not ask for it does not see the event that carries it.
 */
export function watchRequest(
  { kind: { namespace, type }, id }: WatchTarget,
  options: WatchKindOptions,
  mode: WatchMode,
  bookmark: Uint8Array | undefined,
): WatchRequest {
  const { coalesce = false, metadataOnly = false, resync = false } = options;
  return create(WatchRequestSchema, {
    namespace,
    type,
    ...(id === undefined ? {} : { id }),
    apiVersion: 1,
    options: create(WatchOptionsSchema, {
      ...queryToWire(options),
      ...{ aggregated: id === undefined, coalesce, metadataOnly, resync },
      ...startOf(id, options, mode, bookmark),
    }),
  });
}

type Start = Partial<
  Pick<WatchOptions, "bootstrapContents" | "bootstrapBookmark" | "tailEvents" | "startFromBookmark">
>;

function startOf(id: string | undefined, options: WatchKindOptions, mode: WatchMode, bookmark?: Uint8Array): Start {
  const { bootstrapContents = false, tailEvents = 0, startFromBookmark } = options;
  if (mode === "restart") return { bootstrapContents: id === undefined };
  if (mode === "resume" && bookmark !== undefined) {
    // what was asked besides is the server's to refuse, but only the first time
    return bookmark === startFromBookmark
      ? { startFromBookmark, bootstrapContents, tailEvents }
      : { startFromBookmark: bookmark };
  }
  return { bootstrapContents, tailEvents, bootstrapBookmark: id === undefined };
}
