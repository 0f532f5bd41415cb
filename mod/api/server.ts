import type { AddressInfo, Socket } from "node:net";
import { createServer, type PeerCertificate, type Server as TlsServer, type TLSSocket } from "node:tls";
import type { X509Certificate } from "node:crypto";
import { type Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { parsePrivateKey } from "../pki/mod.ts";
import { withinDeadline } from "../supervisor/mod.ts";
import { authorize, ROLES, ruledPaths } from "./access.ts";
import { ApiError, type ErrorRow, statusOf } from "./errors.ts";
import {
  type Admission,
  type Handler,
  type OpenStream,
  registerHandler,
  registerUnanswered,
  type ServerPart,
} from "./handler.ts";
import { guardHttp2 } from "./http2_guard.ts";
import { authoritiesFrom, type Peer, verifyPeer } from "./peer.ts";
import { refuse } from "./refusal.ts";
import { askedAs } from "./target.ts";

/** Largest message in either direction, as clients of the machine API expect. */
export const MAX_MESSAGE_BYTES = 32 << 20;

/** How long a client may take for its TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** How long the end of a stream may take to reach its client when the server goes away. */
const LAST_WORDS_MS = 100;
/** After this time without traffic the kernel asks whether the client is still there. */
const KEEP_ALIVE_MS = 60_000;

/** What a server shows to its clients, and whose clients it accepts. PEM text. */
export interface ServerCertificates {
  readonly crtPem: string;
  readonly keyPem: string;
  /** Authorities that may have signed a client's certificate. */
  readonly acceptedCaPems: readonly string[];
}

/** What an {@link ApiServer} is made of. */
export interface ApiServerOptions {
  /** Address to listen on; `::` takes IPv4 too. */
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly certificates: ServerCertificates;
  readonly handlers: Iterable<Handler>;
  /** Whether a name or address in `node` or `nodes` metadata is this node's own. */
  readonly isLocal: (name: string) => boolean;
  /** Codes of error classes that this package does not know, such as those of the backend. */
  readonly errorRows?: readonly ErrorRow[];
  /** Told when the open port fails to take a connection, as when descriptors run out; it goes on. */
  readonly onListenerError?: (error: Error) => void;
}

/**
 * The gRPC server of a node: TLS 1.3 with client certificates, roles from their Organization, one rule table.
 *
 * It owns the TLS listener, so that certificates change without closing it, and looks at a client's certificate itself:
 * the TLS layer under Deno lets a connection through whose certificate it could not verify, and takes a resumed session
 * at its word. Only verified connections reach the services; on the others every call ends with the reason.
 */
export class ApiServer implements AsyncDisposable {
  readonly #listener: TlsServer;
  readonly #services: Server;
  readonly #isLocal: (name: string) => boolean;
  readonly #listen: { hostname: string; port: number };
  /** By the certificate object that a verified connection hands to grpc-js. */
  readonly #peers = new WeakMap<PeerCertificate, Peer>();
  readonly #connections = new Set<TLSSocket>();
  /** Every open socket, those in their handshake included. */
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<OpenStream>();
  readonly #injector: ReturnType<Server["createConnectionInjector"]>;
  readonly #onListenerError: (error: Error) => void;
  #authorities: readonly X509Certificate[];

  /** @throws {SyntaxError} when a certificate or key is broken. */
  constructor(options: ApiServerOptions) {
    const { hostname, port, certificates, handlers, isLocal, errorRows = [], onListenerError = () => {} } = options;
    this.#onListenerError = onListenerError;
    this.#listen = { hostname, port };
    this.#isLocal = isLocal;
    this.#authorities = authoritiesFrom(certificates.acceptedCaPems);
    guardHttp2();
    this.#services = new Server({
      "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
      "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
      "grpc.enable_channelz": 0, // nobody asks for its counters, and they cost time at every call
    });
    const part: ServerPart = {
      admit: (call) => this.#admitCall(call),
      statusOf: (error, path) => statusOf(error, path, errorRows),
      streams: this.#streams,
    };
    const unanswered = new Set(ruledPaths());
    for (const handler of handlers) {
      registerHandler(this.#services, handler, part);
      unanswered.delete(handler.method.path);
    }
    for (const path of unanswered) registerUnanswered(this.#services, path, part);
    const injector = this.#injector = this.#services.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listener = createServer({
      ...secureContext(certificates),
      minVersion: "TLSv1.3",
      ALPNProtocols: ["h2"],
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    this.#listener.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#listener.on("secureConnection", (socket) => {
      socket.on("error", () => socket.destroy()); // the client went away; its calls are cancelled by grpc-js
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
      const reason = this.#admit(socket);
      if (reason === undefined) injector.injectConnection(socket);
      else refuse(socket, reason);
    });
  }

  /** Opens the port and answers with its number. @throws the system's error when it is taken. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(this.#listen.port, this.#listen.hostname, () => {
        this.#listener.off("error", reject);
        this.#listener.on("error", this.#onListenerError);
        resolve((this.#listener.address() as AddressInfo).port);
      });
    });
  }

  /**
   * Shows other certificates from the next connection on. Open connections stay, but for those whose client is not
   * accepted any more.
   * @throws {SyntaxError} when a certificate or key is broken; then nothing has changed.
   */
  setCertificates(certificates: ServerCertificates): void {
    const authorities = authoritiesFrom(certificates.acceptedCaPems);
    this.#listener.setSecureContext({ ...secureContext(certificates), minVersion: "TLSv1.3" });
    this.#authorities = authorities;
    for (const socket of this.#connections) {
      if (this.#verify(socket.getPeerCertificate()) instanceof ApiError) socket.destroy();
    }
  }

  /**
   * Takes no new connections, and gives what there is to say `graceMs` to be said. Streams that go on then are ended, in
   * good order: what was sent arrives, and clients know that it was not their doing. Answers when all connections are
   * closed, or soon after `graceMs`.
   */
  async drain(graceMs: number): Promise<void> {
    this.#listener.close();
    this.#injector.drain(graceMs + LAST_WORDS_MS);
    const closed = Promise.all(
      [...this.#connections].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
    );
    if (await withinDeadline(closed, graceMs)) return;
    const reason = new ApiError("UNAVAILABLE", "Cannot go on: the API of this node is going down");
    for (const stream of this.#streams) stream.end(reason);
    await withinDeadline(closed, LAST_WORDS_MS);
  }

  /** Ends open calls and closes the port. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#services.forceShutdown();
    for (const socket of [...this.#connections, ...this.#sockets]) socket.destroy();
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }

  /** Verifies a new connection; answers with the reason when it is refused. */
  #admit(socket: TLSSocket): ApiError | undefined {
    const certificate = socket.getPeerCertificate(true);
    const peer = this.#verify(certificate);
    if (peer instanceof ApiError) return peer;
    // grpc-js asks the socket for the certificate at every call, which would parse it anew each time
    socket.getPeerCertificate = () => certificate;
    socket.authorized = true;
    this.#peers.set(certificate, peer);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return undefined;
  }

  /** `certificate` is an empty object when the client sent none. */
  #verify(certificate: Partial<PeerCertificate>): Peer | ApiError {
    try {
      return verifyPeer(certificate.raw, this.#authorities, Date.now());
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  #admitCall(call: Parameters<ServerPart["admit"]>[0]): Admission {
    const certificate = call.getAuthContext().sslPeerCertificate;
    const peer = certificate && this.#peers.get(certificate as PeerCertificate);
    if (peer === undefined || peer.validUntilMs < Date.now()) {
      throw new ApiError("UNAUTHENTICATED", "Cannot admit the caller: its certificate is not valid any more");
    }
    const { metadata } = call;
    const path = call.getPath();
    const roles = peer.roles.has(ROLES.impersonator) ? new Set(valuesOf(metadata, "talos-role")) : peer.roles;
    authorize(path, roles);
    const target = { node: valuesOf(metadata, "node"), nodes: valuesOf(metadata, "nodes") };
    return { roles, askedAs: askedAs(path, target, this.#isLocal) };
  }
}

/** All values of a key; HTTP/2 under Deno hands on repeated headers as one, joined by commas. */
function valuesOf(metadata: Metadata, key: string): readonly string[] {
  const values = metadata.get(key);
  return values.length === 0 ? [] : values.flatMap((value) => String(value).split(",")).map((value) => value.trim());
}

/** Without `ca`, Deno would read its whole store of public authorities at the first connection, which takes 25 ms. */
function secureContext({ crtPem, keyPem, acceptedCaPems }: ServerCertificates): {
  cert: string;
  key: string;
  ca: string[];
} {
  const key = parsePrivateKey(keyPem).export({ type: "pkcs8", format: "pem" }).toString();
  return { cert: crtPem, key, ca: [...acceptedCaPems] };
}
