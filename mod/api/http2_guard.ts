import http2, { type ServerHttp2Session } from "node:http2";
import { guardSession } from "../http2/mod.ts";

let isGuarded = false;

/** Guards the sessions that grpc-js makes, whose `connect` and `createServer` are of the same module object. */
export function guardHttp2(): void {
  if (isGuarded) return;
  isGuarded = true;
  const { connect, createServer } = http2;
  http2.connect = ((...args: Parameters<typeof connect>) => guardSession(connect(...args))) as typeof connect;
  http2.createServer =
    ((...args: Parameters<typeof createServer>) =>
      createServer(...args).prependListener("session", (session: ServerHttp2Session) => {
        guardSession(session);
      })) as typeof createServer;
}
