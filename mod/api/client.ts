import { Buffer } from "node:buffer";
import type { PeerCertificate } from "node:tls";
import { type ChannelCredentials, Client, credentials } from "@grpc/grpc-js";
import { canonicalAddress } from "../netip/mod.ts";
import { certificateInfo, encodePem, parsePrivateKey } from "../pki/mod.ts";
import { ClientLanes } from "./client_lanes.ts";
import { noConnectionReason } from "./connect_limit.ts";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
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

const MAX_MESSAGE_BYTES = 32 << 20;
/** TLS server name for endpoints that are addresses; nobody resolves it. */
const ADDRESS_SERVER_NAME = "address.invalid";
/**
 * After this time a server with open calls is asked whether it is still there: a machine that loses its power says
 * nothing. Servers in Go, as Talos has them, end a connection on which they are asked more often than every 5 minutes.
 */
const KEEP_ALIVE_MS = 310_000;
/** How long it may take to answer that. */
const KEEP_ALIVE_TIMEOUT_MS = 20_000;

/** Whom to call and as whom: what a context of a talosconfig holds. PEM text, not base64. */
export interface ClientOptions {
  /** Addresses or names of nodes, with or without port; tried in turn. */
  readonly endpoints: readonly string[];
  /** Authority of the nodes' certificates. */
  readonly caPem: string;
  readonly crtPem: string;
  readonly keyPem: string;
  /** After how long a server that says nothing is asked whether it is still there; 310,000 if left out. */
  readonly keepAliveMs?: number;
}

interface Connection {
  readonly endpoint: Endpoint;
  readonly lanes: ClientLanes;
}

/**
 * A caller of the machine API over mutual TLS. Calls go round over the endpoints; one that cannot be reached is left
 * out. Connections are made at the first call and kept until disposed.
 */
export class ApiClient implements Caller, Disposable {
  readonly #connections: readonly Connection[];
  #next = 0;

  /** @throws {SyntaxError} when an endpoint, certificate or key cannot be read. */
  constructor({ endpoints, keepAliveMs = KEEP_ALIVE_MS, ...identity }: ClientOptions) {
    if (endpoints.length === 0) throw new SyntaxError("Cannot call the API: no endpoint is given");
    guardHttp2();
    this.#connections = endpoints.map(parseEndpoint).map((endpoint) => {
      const credentials = channelCredentials(endpoint, identity);
      const options = {
        ...(endpoint.isAddress ? { "grpc.ssl_target_name_override": ADDRESS_SERVER_NAME } : {}),
        "grpc.default_authority": endpoint.text,
        "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
        "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
        "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
        "grpc.keepalive_time_ms": keepAliveMs,
        "grpc.keepalive_timeout_ms": Math.min(keepAliveMs, KEEP_ALIVE_TIMEOUT_MS),
        "grpc.use_local_subchannel_pool": 1,
        "grpc.initial_reconnect_backoff_ms": 200,
        "grpc.max_reconnect_backoff_ms": 5_000,
      };
      return { endpoint, lanes: new ClientLanes(() => new Client(endpoint.text, credentials, options)) };
    });
  }

  /** Makes a call and awaits its answer. @throws {ApiError} */
  async call<I, O>(method: Method<I, O, "unary">, request: I, options: CallOptions = {}): Promise<O> {
    const unreachable: string[] = [];
    for (const connection of this.#inTurn()) {
      try {
        return await callOnce(connection.lanes.next().client, method, request, options);
      } catch (error) {
        unreachable.push(unreachableReason(connection, error));
      }
    }
    throw new ApiError("UNAVAILABLE", `Cannot connect to ${unreachable.join("; ")}`);
  }

  /** Makes a streaming call; leaving the loop cancels it. @throws {ApiError} */
  async *stream<I, O>(method: Method<I, O, "stream">, request: I, options: CallOptions = {}): AsyncGenerator<O, void> {
    const unreachable: string[] = [];
    for (const connection of this.#inTurn()) {
      let isAnswering = false;
      try {
        for await (const message of messages(connection.lanes.next(), method, request, options)) {
          isAnswering = true;
          yield message;
        }
        return;
      } catch (error) {
        if (isAnswering) throw error;
        unreachable.push(unreachableReason(connection, error));
      }
    }
    throw new ApiError("UNAVAILABLE", `Cannot connect to ${unreachable.join("; ")}`);
  }

  /** Makes a streaming call to the next endpoint; one that cannot be reached ends it. */
  follow<I, O>(
    method: Method<I, O, "stream">,
    request: I,
    listener: StreamListener<O>,
    options?: CallOptions,
  ): Following {
    const [connection] = this.#inTurn();
    if (connection === undefined) throw new TypeError("Cannot call the API: no endpoint is given");
    return followStream(connection.lanes.next(), method, request, listener, options);
  }

  /** Makes no more calls, and closes the connections once those in flight have ended. */
  [Symbol.dispose](): void {
    for (const { lanes } of this.#connections) lanes[Symbol.dispose]();
  }

  /** All connections, each call starting with the next one. */
  #inTurn(): Connection[] {
    const start = this.#next++ % this.#connections.length;
    return [...this.#connections.slice(start), ...this.#connections.slice(0, start)];
  }
}

function channelCredentials(
  endpoint: Endpoint,
  identity: Omit<ClientOptions, "endpoints" | "keepAliveMs">,
): ChannelCredentials {
  const key = parsePrivateKey(identity.keyPem).export({ type: "pkcs8", format: "pem" });
  const verify = endpoint.isAddress
    ? { checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkAddress(endpoint.host, certificate) }
    : {};
  return credentials.createSsl(Buffer.from(identity.caPem), Buffer.from(key), Buffer.from(identity.crtPem), verify);
}

/** What is wrong with a server's certificate, given the address that was called. */
function checkAddress(host: string, certificate: PeerCertificate): Error | undefined {
  const { ips } = certificateInfo(encodePem("CERTIFICATE", certificate.raw));
  if (ips.includes(canonicalAddress(host))) return undefined;
  const named = ips.length === 0 ? "no address" : ips.join(", ");
  return new Error(`the node's certificate is for ${named}, not for ${host}`);
}

/** Why an endpoint could not be reached. @throws the error itself when the call got further than that. */
function unreachableReason({ endpoint }: Connection, error: unknown): string {
  const reason = noConnectionReason(error);
  if (reason === undefined) throw error;
  return `"${endpoint.text}": ${reason}`;
}
