import type { Buffer } from "node:buffer";
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Server,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedHandleCall,
} from "@grpc/grpc-js";
import { ApiError, type CallStatus } from "./errors.ts";
import type { Method } from "./method.ts";

/** What a handler knows about a call beside its request. */
export interface CallContext {
  readonly path: string;
  /** Roles of the caller, verified. */
  readonly roles: ReadonlySet<string>;
  /**
   * The names by which `nodes` metadata asked for this node; every message of the answer carries one of them as
   * `metadata.hostname`. Empty when the caller did not use `nodes`.
   */
  readonly askedAs: readonly string[];
  /** Aborted when the caller goes away or its deadline passes. */
  readonly signal: AbortSignal;
}

/** A stream to a caller. */
export interface StreamContext<O> extends CallContext {
  /**
   * Sends a message. Answers with a promise when the caller does not keep up: await it before sending more, so that
   * messages pile up nowhere. It resolves too when the caller goes away.
   */
  send(message: O): Promise<void> | undefined;
}

/** What a server adds to a handler. */
export interface ServerPart {
  /** Decides about a call before its handler runs. @throws {ApiError} */
  admit(call: ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>): Admission;
  /** The status of a call whose handler threw. */
  statusOf(error: unknown, path: string): CallStatus;
  /** The streams that are open: each takes itself out at its end. */
  readonly streams: Set<OpenStream>;
}

/** A stream to a caller, as the server ends it. */
export interface OpenStream {
  /** Ends it after what was sent, with the status of `reason`; its handler is told as if the caller had gone away. */
  end(reason: Error): void;
}

/** What is known of a caller that was admitted. */
export type Admission = Pick<CallContext, "roles" | "askedAs">;

/** A method with what answers it, ready to be registered. */
export interface Handler {
  readonly method: Method<unknown, unknown>;
  /** The function that grpc-js calls. */
  bind(server: ServerPart): UntypedHandleCall;
}

/** Answers a unary method. What `answer` throws becomes the status of the call. */
export function handleUnary<I, O>(
  method: Method<I, O, "unary">,
  answer: (request: I, context: CallContext) => O | Promise<O>,
): Handler {
  const bind = (server: ServerPart): handleUnaryCall<I, O> => (call, callback) => {
    const fail = (error: unknown) => callback(server.statusOf(error, method.path));
    try {
      const admitted = server.admit(call as ServerUnaryCall<unknown, unknown>);
      const reply = answer(call.request, new Call(method.path, call, admitted));
      if (reply instanceof Promise) reply.then((value) => callback(null, value), fail);
      else callback(null, reply);
    } catch (error) {
      fail(error);
    }
  };
  return { method: method as unknown as Method<unknown, unknown>, bind: bind as unknown as Handler["bind"] };
}

/** Answers a streaming method: `produce` sends until it returns; what it throws becomes the status of the call. */
export function handleStream<I, O>(
  method: Method<I, O, "stream">,
  produce: (request: I, context: StreamContext<O>) => Promise<void>,
): Handler {
  const bind = (server: ServerPart): handleServerStreamingCall<I, O> => (call) => {
    const fail = (error: unknown) => call.emit("error", server.statusOf(error, method.path));
    try {
      const admitted = server.admit(call as ServerWritableStream<unknown, unknown>);
      const context = new StreamingCall(method.path, call, admitted);
      const open = {
        end(reason: Error) {
          context.cut();
          if (isFirstEnd()) fail(reason);
        },
      };
      const isFirstEnd = () => server.streams.delete(open);
      server.streams.add(open);
      Promise.try(produce, call.request, context).then(
        () => isFirstEnd() && call.end(),
        (error) => isFirstEnd() && fail(error),
      );
    } catch (error) {
      fail(error);
    }
  };
  return { method: method as unknown as Method<unknown, unknown>, bind: bind as unknown as Handler["bind"] };
}

/** Lets a server answer a handler's method. */
export function registerHandler(services: Server, handler: Handler, part: ServerPart): void {
  const { path, kind, request, response } = handler.method;
  services.register(
    path,
    handler.bind(part),
    (value: unknown) => response.encode(value),
    (bytes: Uint8Array) => request.decode(bytes),
    kind === "unary" ? "unary" : "serverStream",
  );
}

/**
 * Lets a server tell callers that it does not answer `path`. Who may not call it learns only that, as with every other
 * method.
 */
export function registerUnanswered(services: Server, path: string, part: ServerPart): void {
  const refuse = (call: ServerWritableStream<unknown, unknown>) => {
    try {
      part.admit(call);
      throw new ApiError("UNIMPLEMENTED", `Cannot call "${path}": this version of the node does not answer it`);
    } catch (error) {
      call.emit("error", part.statusOf(error, path));
    }
  };
  const bytes = { encode: (value: unknown) => value as Buffer, decode: (value: Uint8Array) => value };
  services.register(path, refuse as UntypedHandleCall, bytes.encode, bytes.decode, "bidi"); // waits for no message
}

type Source = Pick<ServerUnaryCall<unknown, unknown>, "cancelled" | "on">;

class Call implements CallContext {
  readonly path: string;
  readonly roles: ReadonlySet<string>;
  readonly askedAs: readonly string[];
  readonly #source: Source;
  #abort: AbortController | undefined;
  #isLeft = false;

  constructor(path: string, source: Source, admitted: Admission) {
    this.path = path;
    this.roles = admitted.roles;
    this.askedAs = admitted.askedAs;
    this.#source = source;
  }

  /** Made when asked for: most unary calls end before anybody looks. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = this.#abort = new AbortController();
      if (this.#source.cancelled || this.#isLeft) abort.abort();
      else this.#source.on("cancelled", () => abort.abort());
    }
    return this.#abort.signal;
  }

  protected leave(): void {
    this.#isLeft = true;
    this.#abort?.abort();
  }
}

class StreamingCall<O> extends Call implements StreamContext<O> {
  readonly #stream: ServerWritableStream<unknown, O>;
  #isOver: boolean;
  #resume: (() => void) | undefined;

  constructor(path: string, source: ServerWritableStream<unknown, O>, admitted: Admission) {
    super(path, source, admitted);
    this.#stream = source;
    this.#isOver = source.cancelled;
    source.on("cancelled", () => {
      this.#isOver = true;
      this.#goOn();
    });
    source.on("drain", () => this.#goOn());
  }

  send(message: O): Promise<void> | undefined {
    if (this.#isOver || this.#stream.write(message)) return undefined;
    const before = this.#resume;
    return new Promise((resolve) => {
      this.#resume = () => {
        before?.();
        resolve();
      };
    });
  }

  /** Sends nothing more, and tells the handler that nobody listens. */
  cut(): void {
    this.#isOver = true;
    this.leave();
    this.#goOn();
  }

  #goOn(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}
