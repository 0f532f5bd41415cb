import { type Client, type ClientReadableStream, Metadata } from "@grpc/grpc-js";
import { ConnectLimit } from "./connect_limit.ts";
import type { ClientLane } from "./client_lanes.ts";
import { ApiError } from "./errors.ts";
import type { Method } from "./method.ts";

/** How one call is made. */
export interface CallOptions {
  /** The node that shall answer, when it is not the endpoint. */
  readonly node?: string;
  /** Nodes that shall answer, each message marked with its own; only for services whose answers have metadata. */
  readonly nodes?: readonly string[];
  /** From now until the answer. Streams have no limit unless said. */
  readonly timeoutMs?: number;
  /** How long a connection may take to be made, 10,000 if left out; after that the next endpoint has its turn. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const UNARY_TIMEOUT_MS = 30_000;

/** Hears of a stream as it comes. */
export interface StreamListener<O> {
  message(message: O): void;
  /** The last call: undefined when the server ended the stream, else why it broke. */
  end(error: Error | undefined): void;
}

/** A stream that is being heard. Disposing it cancels the call; the listener hears nothing after that. */
export interface Following extends Disposable {
  /** Takes no more messages from the server; those on the way still come. */
  pause(): void;
  resume(): void;
}

/** Who makes calls: over TLS or without. */
export interface Caller {
  /** Makes a call and awaits its answer. @throws {ApiError} */
  call<I, O>(method: Method<I, O, "unary">, request: I, options?: CallOptions): Promise<O>;
  /** Makes a streaming call; leaving the loop cancels it. @throws {ApiError} */
  stream<I, O>(method: Method<I, O, "stream">, request: I, options?: CallOptions): AsyncGenerator<O, void>;
  /** Makes a streaming call whose messages go to a listener. What is wrong with it, its end tells. */
  follow<I, O>(
    method: Method<I, O, "stream">,
    request: I,
    listener: StreamListener<O>,
    options?: CallOptions,
  ): Following;
}

function metadataOf({ node, nodes }: CallOptions): Metadata {
  const metadata = new Metadata();
  if (node !== undefined) metadata.set("node", node);
  for (const name of nodes ?? []) metadata.add("nodes", name);
  return metadata;
}

function deadlineOf(timeoutMs: number | undefined): { deadline?: number } {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

/** Makes a unary call. @throws {ApiError} */
export function callOnce<I, O>(client: Client, method: Method<I, O>, request: I, options: CallOptions): Promise<O> {
  const { path, request: { encode }, response: { decode } } = method;
  const { promise, resolve, reject } = Promise.withResolvers<O>();
  const limits = deadlineOf(options.timeoutMs ?? UNARY_TIMEOUT_MS);
  const call = client.makeUnaryRequest(path, encode, decode, request, metadataOf(options), limits, (error, reply) => {
    options.signal?.removeEventListener("abort", cancel);
    limit[Symbol.dispose]();
    if (error !== null) reject(limit.errorFrom(error));
    else if (reply === undefined) reject(new ApiError("INTERNAL", `Cannot call "${path}": the answer is empty`));
    else resolve(reply);
  });
  const cancel = () => call.cancel();
  const limit = new ConnectLimit(client, cancel, options.connectTimeoutMs);
  options.signal?.addEventListener("abort", cancel, { once: true });
  if (options.signal?.aborted) cancel();
  return promise;
}

/** Makes a streaming call; leaving the loop cancels it. @throws {ApiError} */
export async function* messages<I, O>(lane: ClientLane, method: Method<I, O>, request: I, options: CallOptions) {
  const call = openStream(lane.client, method, request, options);
  const closed = lane.opened();
  const cancel = () => call.cancel();
  using limit = new ConnectLimit(lane.client, cancel, options.connectTimeoutMs);
  options.signal?.addEventListener("abort", cancel, { once: true });
  if (options.signal?.aborted) cancel();
  let isOver = false;
  try {
    for await (const message of call) yield message as O;
    isOver = true;
  } catch (error) {
    isOver = true;
    throw limit.errorFrom(error);
  } finally {
    closed(isOver && options.signal?.aborted !== true ? "ended" : "cancelled");
    options.signal?.removeEventListener("abort", cancel);
    call.on("error", () => {}); // the cancellation that follows is our own
    cancel();
  }
}

/** Makes a streaming call whose messages go to a listener. */
export function followStream<I, O>(
  lane: ClientLane,
  method: Method<I, O>,
  request: I,
  listener: StreamListener<O>,
  options: CallOptions = {},
): Following {
  const call = openStream(lane.client, method, request, options);
  const closed = lane.opened();
  const limit = new ConnectLimit(lane.client, () => call.cancel(), options.connectTimeoutMs);
  let isOver = false;
  const finish = (error: Error | undefined) => {
    if (isOver) return;
    isOver = true;
    limit[Symbol.dispose]();
    closed("ended");
    listener.end(error);
  };
  call.on("data", (message: O) => isOver || listener.message(message));
  call.on("end", () => finish(undefined));
  call.on("error", (error) => {
    while (call.read() !== null) { /* what came before the end goes to the listener before it */ }
    finish(limit.errorFrom(error));
  });
  return {
    pause: () => void call.pause(),
    resume: () => void call.resume(),
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      limit[Symbol.dispose]();
      closed("cancelled");
      call.cancel();
    },
  };
}

function openStream<I, O>(
  client: Client,
  { path, request: { encode }, response: { decode } }: Method<I, O>,
  request: I,
  options: CallOptions,
): ClientReadableStream<O> {
  const limits = deadlineOf(options.timeoutMs);
  return client.makeServerStreamRequest(path, encode, decode, request, metadataOf(options), limits);
}
