import { Client, credentials } from "@grpc/grpc-js";
import {
  type Caller,
  callOnce,
  type CallOptions,
  type Following,
  followStream,
  messages,
  type StreamListener,
} from "./grpc_call.ts";
import type { Method } from "./method.ts";
import { MAX_MESSAGE_BYTES } from "./server.ts";

/** A caller without TLS, of a server on this machine. */
export class PlainClient implements Caller, Disposable {
  readonly #client: Client;

  /** @param address `HOST:PORT` or `unix:PATH`. The connection is made at the first call, and again when it is lost. */
  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
      "grpc.use_local_subchannel_pool": 1,
      "grpc.initial_reconnect_backoff_ms": 50,
      "grpc.max_reconnect_backoff_ms": 1_000,
    });
  }

  call<I, O>(method: Method<I, O, "unary">, request: I, options: CallOptions = {}): Promise<O> {
    return callOnce(this.#client, method, request, options);
  }

  stream<I, O>(method: Method<I, O, "stream">, request: I, options: CallOptions = {}): AsyncGenerator<O, void> {
    return messages(this.#client, method, request, options);
  }

  follow<I, O>(
    method: Method<I, O, "stream">,
    request: I,
    listener: StreamListener<O>,
    options: CallOptions = {},
  ): Following {
    return followStream(this.#client, method, request, listener, options);
  }

  /** Makes no more calls, and closes the connection once those in flight have ended. */
  [Symbol.dispose](): void {
    this.#client.close();
  }
}
