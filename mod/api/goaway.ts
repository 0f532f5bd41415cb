import { setImmediate } from "node:timers";
import http2, { type ClientHttp2Session } from "node:http2";

/**
 * Lets clients outlive a server that goes away. Deno 2.9.4 tells of a GOAWAY from inside nghttp2; when a listener closes
 * the session then, as grpc-js does, and a call had been cancelled before, nghttp2 goes on with freed memory and the
 * whole process ends. So listeners hear of it a turn later. grpc-js takes `connect` from the same module object.
 */
export function deferGoaway(): void {
  if (isDeferred) return;
  isDeferred = true;
  const connect = http2.connect;
  http2.connect = ((...args: Parameters<typeof connect>) => deferred(connect(...args))) as typeof connect;
}

let isDeferred = false;

function deferred(session: ClientHttp2Session): ClientHttp2Session {
  const emit = session.emit.bind(session) as (...args: unknown[]) => boolean;
  session.emit = (...args: unknown[]) => {
    if (args[0] !== "goaway") return emit(...args);
    setImmediate(() => emit(...args));
    return true;
  };
  return session;
}
