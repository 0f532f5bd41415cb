import { Client, credentials } from "@grpc/grpc-js";
import { ClientLanes } from "./client_lanes.ts";
import { noConnectionReason } from "./connect_limit.ts";
import {
  type Caller,
  callOnce,
  type CallOptions,
  type Following,
  followStream,
  messages,
  type StreamListener,
} from "./grpc_call.ts";
import { guardHttp2 } from "./http2_guard.ts";
import type { Method } from "./method.ts";
import { MAX_MESSAGE_BYTES } from "./server.ts";

/** How long a call waits for a server that is not there, such as one that is being started again. */
const CONNECT_MS = 1_000;

/** A caller without TLS, of a server on this machine. */
export class PlainClient implements Caller, Disposable {
  readonly #lanes: ClientLanes;
  readonly #connectMs: number;

  /**
   * @param address `HOST:PORT` or `unix:PATH`. The connection is made at the first call, and again when it is lost.
   * @param connectMs how long a call waits for a connection; a stream that is followed does not wait.
   */
  constructor(address: string, connectMs = CONNECT_MS) {
    guardHttp2();
    this.#connectMs = connectMs;
    const options = {
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
      "grpc.use_local_subchannel_pool": 1,
      "grpc.initial_reconnect_backoff_ms": 50,
      "grpc.max_reconnect_backoff_ms": 1_000,
    };
    this.#lanes = new ClientLanes(() => new Client(address, credentials.createInsecure(), options));
  }

  async call<I, O>(method: Method<I, O, "unary">, request: I, options: CallOptions = {}): Promise<O> {
    try {
      return await callOnce(this.#lanes.next().client, method, request, options);
    } catch (error) {
      await this.#connected(error);
    }
    return await callOnce(this.#lanes.next().client, method, request, options);
  }

  async *stream<I, O>(method: Method<I, O, "stream">, request: I, options: CallOptions = {}): AsyncGenerator<O, void> {
    try {
      return yield* messages(this.#lanes.next(), method, request, options);
    } catch (error) {
      await this.#connected(error);
    }
    yield* messages(this.#lanes.next(), method, request, options);
  }

  follow<I, O>(
    method: Method<I, O, "stream">,
    request: I,
    listener: StreamListener<O>,
    options: CallOptions = {},
  ): Following {
    return followStream(this.#lanes.next(), method, request, listener, options);
  }

  /** Waits for a connection after a call that never left. @throws the call's error when it did, or none is made. */
  async #connected(error: unknown): Promise<void> {
    if (noConnectionReason(error) === undefined) throw error;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lanes.next().client.waitForReady(
      Date.now() + this.#connectMs,
      (late) => late === undefined ? resolve() : reject(error),
    );
    await promise;
  }

  /** Makes no more calls, and closes the connection once those in flight have ended. */
  [Symbol.dispose](): void {
    this.#lanes[Symbol.dispose]();
  }
}
