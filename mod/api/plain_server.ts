import { type AddressInfo, createServer, type Server as Listener, type Socket } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ROLES } from "./access.ts";
import { type ErrorRow, statusOf } from "./errors.ts";
import { type Handler, registerHandler, type ServerPart } from "./handler.ts";
import { guardHttp2 } from "./http2_guard.ts";
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
 * Unix socket that only its owner can open, such as tests and tools use. It owns its listener, so that its end closes
 * every connection.
 */
export class PlainServer implements AsyncDisposable {
  readonly #services: Server;
  readonly #address: string;
  readonly #listener: Listener;
  readonly #sockets = new Set<Socket>();

  constructor({ listen, handlers, errorRows = [] }: PlainServerOptions) {
    this.#address = listen;
    guardHttp2();
    this.#services = new Server({
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
    });
    const admission = { roles: new Set<string>([ROLES.admin]), askedAs: [] };
    const part: ServerPart = {
      admit: () => admission,
      statusOf: (error, path) => statusOf(error, path, errorRows),
      streams: new Set(),
    };
    for (const handler of handlers) registerHandler(this.#services, handler, part);
    const injector = this.#services.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listener = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => socket.destroy()); // the client went away; its calls are cancelled by grpc-js
      injector.injectConnection(socket);
    });
  }

  /** Opens the address and answers with what clients call. @throws the system's error when it is taken. */
  listen(): Promise<string> {
    const path = /^unix:(?:\/\/)?(.+)$/.exec(this.#address)?.[1];
    const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(this.#address) ?? [];
    const place = path === undefined ? { host, port: Number(port) } : { path };
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(place, () => {
        this.#listener.off("error", reject);
        const bound = path === undefined ? String((this.#listener.address() as AddressInfo).port) : undefined;
        resolve(bound === undefined ? this.#address : this.#address.replace(/\d+$/, bound));
      });
    });
  }

  /** Ends open calls and closes the address. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#services.forceShutdown();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }
}
