import { Buffer } from "node:buffer";
import type { ClientHttp2Session } from "node:http2";
import { guardSession } from "../http2/mod.ts";
import type { HealthCheck } from "./health.ts";

const SERVING = 1;
/** A gRPC message: not compressed, 4 bytes of length, no content. An empty request asks about the whole server. */
const EMPTY_REQUEST = new Uint8Array(5);

/**
 * Asks `grpc.health.v1.Health/Check` on a unix socket. One call needs nothing of a gRPC library but HTTP/2.
 *
 * @param socketPath read at every check; that it is not there yet counts as not healthy
 */
export function grpcHealth(socketPath: string): HealthCheck {
  return { check: (signal) => checkGrpc(socketPath, signal) };
}

async function checkGrpc(socketPath: string, signal: AbortSignal): Promise<void> {
  const [{ connect }, net] = await Promise.all([import("node:http2"), import("node:net")]); // not at start
  await Deno.lstat(socketPath); // a connection that fails makes far more noise than a missing file
  const session = guardSession(
    connect("http://localhost", { createConnection: () => net.connect({ path: socketPath }) }),
  );
  const end = () => session.destroy();
  signal.addEventListener("abort", end);
  try {
    const status = servingStatus(await call(session));
    if (status !== SERVING) throw new Error(`Serving status is ${status}`);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function call(session: ClientHttp2Session): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    session.on("close", () => reject(new Error("Connection closed")));
    const request = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Uint8Array[] = [];
    request.on("error", reject);
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.end(EMPTY_REQUEST);
  });
}

/** Field 1 of `HealthCheckResponse` behind the 5 bytes of framing; 0 if it is not there. Pure. */
export function servingStatus(reply: Uint8Array): number {
  return reply[5] === 0x08 ? (reply[6] ?? 0) : 0;
}
