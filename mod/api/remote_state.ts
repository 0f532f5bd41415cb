import { create } from "@bufbuild/protobuf";
import {
  changeMetadata,
  type EndingState,
  endStepByStep,
  type Kind,
  type OwnerOption,
  type Page,
  type PagedState,
  type PageOptions,
  type Pointer,
  type Query,
  type Resource,
  type UpdateOptions,
  updateWithConflicts,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  withMetadata,
} from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";
import {
  CreateOptionsSchema,
  DestroyRequestSchema,
  GetRequestSchema,
  ListOptionsSchema,
  ListRequestSchema,
  TeardownAndDestroyRequestSchema,
  TeardownRequestSchema,
  UpdateOptionsSchema,
} from "./gen/cosi/resource/state_pb.ts";
import type { Caller, CallOptions } from "./grpc_call.ts";
import { queryToWire } from "./query_codec.ts";
import { type CallSubject, stateErrorOf } from "./remote_error.ts";
import { RemoteWatch, type WatchRetry } from "./remote_watch.ts";
import { type DefinitionLookup, ResourceCodec } from "./resource_codec.ts";
import { stateMethods } from "./state_methods.ts";

/** How a state of another process is used. */
export interface RemoteStateOptions {
  /** The types to decode; objects of all others have opaque specs. */
  readonly definition?: DefinitionLookup;
  /** How broken watches are opened again; `false`: not at all. */
  readonly retry?: Partial<WatchRetry> | false;
  /** Node and time limit of each call; watches have no limit. */
  readonly call?: Pick<CallOptions, "node" | "timeoutMs">;
}

/**
 * The state of another process, over gRPC (cosi.md 5-E). Its server may be any of this protocol. Errors are those of a
 * state in this process; what the connection itself does wrong is an {@link ApiError}.
 */
export class RemoteState implements PagedState, EndingState {
  readonly #caller: Caller;
  readonly #methods: ReturnType<typeof stateMethods>;
  readonly #retry: RemoteStateOptions["retry"];
  readonly #call: CallOptions;
  #hasTeardown = true;
  #hasTeardownAndDestroy = true;

  constructor(caller: Caller, { definition, retry, call = {} }: RemoteStateOptions = {}) {
    this.#caller = caller;
    this.#methods = stateMethods(new ResourceCodec(definition));
    this.#retry = retry;
    this.#call = call;
  }

  get({ namespace, type, id }: Pointer): Promise<Resource> {
    const request = create(GetRequestSchema, { namespace, type, id, options: {} });
    return this.#answer(this.#caller.call(this.#methods.get, request, this.#call), {
      call: "get",
      pointer: { namespace, type, id },
    });
  }

  async list(kind: Kind, query: Query = {}): Promise<readonly Resource[]> {
    return (await this.#list(kind, query, 0, "")).resources;
  }

  /** As `listPage` of a state in this process; a server that does not know pages answers with everything. */
  listPage(kind: Kind, { limit, continueToken = "", ...query }: PageOptions): Promise<Page> {
    if (!Number.isInteger(limit) || limit < 1) {
      return Promise.reject(new RangeError(`Cannot list: a page of ${limit} objects`));
    }
    return this.#list(kind, query, limit, continueToken);
  }

  async #list({ namespace, type }: Kind, query: Query, limit: number, continueToken: string): Promise<Page> {
    const options = create(ListOptionsSchema, { ...queryToWire(query), limit, continue: continueToken });
    const request = create(ListRequestSchema, { namespace, type, options });
    const resources: Resource[] = [];
    let next = "";
    try {
      for await (const item of this.#caller.stream(this.#methods.list, request, this.#call)) {
        resources.push(item.resource);
        next = item.next;
      }
    } catch (error) {
      throw stateErrorOf(error, { call: "list", pointer: { namespace, type, id: "" } });
    }
    return { resources: Object.freeze(resources), continueToken: next === "" ? undefined : next };
  }

  create(resource: Resource, { owner = "" }: OwnerOption = {}): Promise<Resource> {
    const request = { resource: () => resource, options: create(CreateOptionsSchema, { owner }) };
    return this.#answer(this.#caller.call(this.#methods.create, request, this.#call), {
      call: "create",
      pointer: resource.metadata,
    });
  }

  update(resource: Resource, { owner = "", expectedPhase = "running" }: UpdateOptions = {}): Promise<Resource> {
    const phase = expectedPhase === "any" ? {} : { expectedPhase };
    const request = { resource: () => resource, options: create(UpdateOptionsSchema, { owner, ...phase }) };
    return this.#answer(this.#caller.call(this.#methods.update, request, this.#call), {
      call: "update",
      pointer: resource.metadata,
      expectedPhase,
    });
  }

  async destroy({ namespace, type, id }: Pointer, { owner = "" }: OwnerOption = {}): Promise<void> {
    const request = create(DestroyRequestSchema, { namespace, type, id, options: { owner } });
    await this.#answer(this.#caller.call(this.#methods.destroy, request, this.#call), {
      call: "destroy",
      pointer: { namespace, type, id },
    });
  }

  /** One call; with a server that does not know it, a read and a write (clause 5.26). */
  async teardown({ namespace, type, id }: Pointer, options: OwnerOption = {}): Promise<boolean> {
    const pointer = { namespace, type, id };
    if (this.#hasTeardown) {
      const { owner = "" } = options;
      const request = create(TeardownRequestSchema, { ...pointer, options: { owner } });
      try {
        return (await this.#caller.call(this.#methods.teardown, request, this.#call)).destroyReady;
      } catch (error) {
        if (!isUnimplemented(error)) throw stateErrorOf(error, { call: "teardown", pointer });
        this.#hasTeardown = false;
      }
    }
    const { metadata } = await updateWithConflicts(
      this,
      pointer,
      (current) => withMetadata(current, changeMetadata(current.metadata, { phase: "tearingDown" })),
      { ...options, expectedPhase: "any" },
    );
    return metadata.finalizers.length === 0;
  }

  /** One call that waits where the object is; with a server that does not know it, step by step (clause 5.26). */
  async teardownAndDestroy(pointer: Pointer, options: OwnerOption = {}, signal?: AbortSignal): Promise<void> {
    const { namespace, type, id } = pointer;
    if (this.#hasTeardownAndDestroy) {
      const { owner = "" } = options;
      const request = create(TeardownAndDestroyRequestSchema, { namespace, type, id, options: { owner } });
      const call = { ...this.#call, timeoutMs: Infinity, ...(signal === undefined ? {} : { signal }) };
      try {
        await this.#caller.call(this.#methods.teardownAndDestroy, request, call);
        return;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isUnimplemented(error)) throw stateErrorOf(error, { call: "destroy", pointer });
        this.#hasTeardownAndDestroy = false;
      }
    }
    await endStepByStep(this, pointer, options, signal);
  }

  watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch> {
    return this.#watch(pointer, pointer.id, options);
  }

  watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch> {
    return this.#watch(kind, undefined, options);
  }

  async #watch({ namespace, type }: Kind, id: string | undefined, options: WatchKindOptions): Promise<Watch> {
    const { node } = this.#call;
    return await RemoteWatch.open({
      caller: this.#caller,
      method: this.#methods.watch,
      kind: { namespace, type },
      id,
      options,
      retry: this.#retry ?? {},
      call: node === undefined ? {} : { node },
    });
  }

  async #answer<T>(work: Promise<T>, subject: CallSubject): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw stateErrorOf(error, subject);
    }
  }
}

/** Whether a server does not know a call, or its state cannot do what was asked. */
function isUnimplemented(error: unknown): boolean {
  return error instanceof ApiError && error.code === "UNIMPLEMENTED";
}
