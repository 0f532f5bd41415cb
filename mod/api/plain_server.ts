import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ROLES } from "./access.ts";
import { type ErrorRow, statusOf } from "./errors.ts";
import { type Handler, registerHandler, type ServerPart } from "./handler.ts";
import { MAX_MESSAGE_BYTES } from "./server.ts";

/** What a {@link PlainServer} is made of. */
export interface PlainServerOptions {
  /** `HOST:PORT`, port 0 taking a free one, or `unix:PATH`. */
  readonly listen: string;
  readonly handlers: Iterable<Handler>;
  /** Codes of error classes that this package does not know. */
  readonly errorRows?: readonly ErrorRow[];
}

/**
 * A gRPC server without TLS: whoever reaches it may call everything, as an administrator. For a loopback port or a
 * Unix socket that only its owner can open, such as tests and tools use.
 */
export class PlainServer implements AsyncDisposable {
  readonly #services: Server;
  readonly #listen: string;

  constructor({ listen, handlers, errorRows = [] }: PlainServerOptions) {
    this.#listen = listen;
    this.#services = new Server({
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
    });
    const admission = { roles: new Set<string>([ROLES.admin]), askedAs: [] };
    const part: ServerPart = {
      admit: () => admission,
      statusOf: (error, path) => statusOf(error, path, errorRows),
    };
    for (const handler of handlers) registerHandler(this.#services, handler, part);
  }

  /** Opens the address and answers with what clients call. @throws the system's error when it is taken. */
  listen(): Promise<string> {
    const address = this.#listen;
    return new Promise((resolve, reject) => {
      this.#services.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
        if (error !== null) reject(error);
        else resolve(address.startsWith("unix:") ? address : address.replace(/\d+$/, String(port)));
      });
    });
  }

  /** Ends open calls and closes the address. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#services.forceShutdown();
    return new Promise((resolve) => this.#services.tryShutdown(() => resolve()));
  }
}
