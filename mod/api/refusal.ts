import http2, { type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import { type ApiError, CODES } from "./errors.ts";

/** How long a refused client may stay to read the reason. */
const LINGER_MS = 5_000;

/**
 * Serves a connection whose client is not admitted: every call on it ends with the reason, and no service ever sees
 * it. A refusal inside TLS would reach the user as a torn connection. The connection is closed after a while.
 */
export function refuse(socket: TLSSocket, reason: ApiError): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.on("close", () => clearTimeout(timer));
  const server = http2.createServer(); // guarded, as the server that it is for
  server.on("sessionError", () => socket.destroy()); // the client went away before it had read the reason
  server.on("unknownProtocol", () => socket.destroy());
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => stream.destroy()); // as above
    stream.respond({
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(CODES[reason.code]),
      "grpc-message": encodeURI(reason.message),
    }, { endStream: true });
  });
  server.emit("connection", socket);
}
