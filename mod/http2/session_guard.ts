import { setImmediate } from "node:timers";
import type { Http2Session } from "node:http2";

/**
 * Keeps a session from being destroyed while nghttp2 is at work on it. Deno 2.9.4 tells of a GOAWAY or of a frame that
 * breaks the protocol from inside nghttp2, and then destroys the session by itself, as listeners may too; nghttp2 goes
 * on with freed memory, and whoever can connect can end the whole process. So all sessions end a turn later.
 */
export function guardSession<S extends Http2Session>(session: S): S {
  const destroy = session.destroy.bind(session);
  session.destroy = (...args: Parameters<typeof destroy>) => void setImmediate(() => destroy(...args));
  return session;
}
