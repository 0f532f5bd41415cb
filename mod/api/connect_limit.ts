import { type Client, connectivityState } from "@grpc/grpc-js";
import { ApiError, apiErrorFrom } from "./errors.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** How grpc-js 1.14 begins the text of a call that never left. */
const NO_CONNECTION = /^No connection established\. Last error: (?:\w*Error: )?(.*?)\.? Resolution note: /s;
const NO_ADDRESS = /^(Name resolution failed) for target /;

/** No connection was made in time. */
class ConnectTimeoutError extends ApiError {
  readonly reason: string;

  constructor(timeoutMs: number, options: ErrorOptions) {
    const reason = `timed out after ${timeoutMs / 1000} s`;
    super("UNAVAILABLE", `Cannot make a connection: ${reason}`, options);
    this.reason = reason;
  }
}

/**
 * Ends a call whose connection takes too long: grpc-js itself waits for ever for a server that takes connections and
 * says nothing. Dispose it at the end of the call.
 */
export class ConnectLimit implements Disposable {
  readonly #timeoutMs: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(client: Client, cancel: () => void, timeoutMs = CONNECT_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    const isConnected = () => client.getChannel().getConnectivityState(false) === connectivityState.READY;
    if (isConnected()) return;
    this.#timer = setTimeout(() => {
      if (isConnected()) return;
      this.#isOver = true;
      cancel();
    }, timeoutMs);
  }

  /** What a call ended with, in the form that is thrown. */
  errorFrom(error: unknown): Error {
    return this.#isOver ? new ConnectTimeoutError(this.#timeoutMs, { cause: error }) : apiErrorFrom(error);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** Why a call never left, so that it is safe to make it again or elsewhere; undefined when it may have. */
export function noConnectionReason(error: unknown): string | undefined {
  if (error instanceof ConnectTimeoutError) return error.reason;
  if (!(error instanceof ApiError)) return undefined;
  return (NO_CONNECTION.exec(error.message) ?? NO_ADDRESS.exec(error.message))?.[1];
}
