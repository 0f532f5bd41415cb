import { create } from "@bufbuild/protobuf";
import type { Kind, Pointer, Query, Resource, WatchEvent } from "../cosi/mod.ts";
import type { ApiClient } from "./client.ts";
import type { CallOptions } from "./grpc_call.ts";
import {
  GetRequestSchema,
  ListOptionsSchema,
  ListRequestSchema,
  WatchOptionsSchema,
  WatchRequestSchema,
} from "./gen/cosi/resource/state_pb.ts";
import { queryToWire } from "./query_codec.ts";
import { ResourceCodec } from "./resource_codec.ts";
import { stateMethods } from "./state_methods.ts";

/** How a kind is watched over the wire. */
export interface ResourceWatchOptions extends Query, CallOptions {
  /** First what exists, then a `bootstrapped` event. */
  readonly bootstrapContents?: boolean;
  /** Replay so many events from history. */
  readonly tailEvents?: number;
}

/**
 * Reads the resources of a node. The specs of types that `codec` does not know come as `OpaqueSpec`, whose `yaml` is
 * what to show.
 */
export class ResourceClient {
  readonly #client: ApiClient;
  readonly #methods: ReturnType<typeof stateMethods>;

  constructor(client: ApiClient, codec: ResourceCodec = new ResourceCodec()) {
    this.#client = client;
    this.#methods = stateMethods(codec);
  }

  /** @throws {ApiError} NOT_FOUND when it is not there. */
  get(pointer: Pointer, options?: CallOptions): Promise<Resource> {
    const { namespace, type, id } = pointer;
    return this.#client.call(this.#methods.get, create(GetRequestSchema, { namespace, type, id }), options);
  }

  /** Sorted by id. @throws {ApiError} */
  async list({ namespace, type }: Kind, options: Query & CallOptions = {}): Promise<Resource[]> {
    const request = create(ListRequestSchema, {
      namespace,
      type,
      options: create(ListOptionsSchema, queryToWire(options)),
    });
    return await Array.fromAsync(this.#client.stream(this.#methods.list, request, options), ({ resource }) => resource);
  }

  /** Events of a kind, or of one object when `target` has an id. Ends when the loop is left. @throws {ApiError} */
  async *watch(
    target: Kind & { readonly id?: string },
    options: ResourceWatchOptions = {},
  ): AsyncGenerator<WatchEvent> {
    const { namespace, type, id } = target;
    const { bootstrapContents = false, tailEvents = 0 } = options;
    const request = create(WatchRequestSchema, {
      namespace,
      type,
      ...(id === undefined ? {} : { id }),
      apiVersion: 1,
      options: create(WatchOptionsSchema, {
        ...queryToWire(options),
        bootstrapContents,
        tailEvents,
        aggregated: id === undefined,
      }),
    });
    for await (const events of this.#client.stream(this.#methods.watch, request, options)) yield* events;
  }
}
