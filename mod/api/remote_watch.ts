import {
  Backoff,
  EPOCH,
  type EventType,
  InvalidBookmarkError,
  makeResource,
  newMetadata,
  type Resource,
  type Watch,
  type WatchEvent,
  type WatchKindOptions,
} from "../cosi/mod.ts";
import { ApiError, type CodeName } from "./errors.ts";
import type { WatchRequest } from "./gen/cosi/resource/state_pb.ts";
import type { Caller, CallOptions, Following } from "./grpc_call.ts";
import type { Method } from "./method.ts";
import { stateErrorOf } from "./remote_error.ts";
import { WatchInbox } from "./watch_inbox.ts";
import { watchRequest, type WatchTarget } from "./watch_request.ts";

/** When a broken watch is opened again. */
export interface WatchRetry {
  /** About how long after a failure; then half as long again each time, up to `maxMs`. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** How long after the first failure in a row the last try is made. */
  readonly limitMs: number;
}

const RETRY: WatchRetry = { firstMs: 100, maxMs: 60_000, limitMs: 15 * 60_000 };
/** A stream that lived as long was a success, even if nothing happened. */
const STEADY_MS = 60_000;

/** What is watched, and how. */
export interface RemoteWatchStart extends WatchTarget {
  readonly caller: Caller;
  readonly method: Method<WatchRequest, readonly WatchEvent[], "stream">;
  readonly options: WatchKindOptions;
  readonly retry: Partial<WatchRetry> | false;
  readonly call: CallOptions;
}

/** Trying again does not help against these. */
const FINAL: ReadonlySet<CodeName> = new Set<CodeName>([
  "FAILED_PRECONDITION",
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "OUT_OF_RANGE",
  "PERMISSION_DENIED",
  "UNAUTHENTICATED",
  "UNIMPLEMENTED",
]);

/**
 * A watch of another process' state. When its stream breaks it is opened again where it was: behind the last bookmark,
 * or, for one object, by comparing what is there with what was seen last. The consumer notices nothing of it.
 */
export class RemoteWatch implements Watch {
  readonly #start: RemoteWatchStart;
  readonly #inbox: WatchInbox;
  readonly #retry: WatchRetry | undefined;
  readonly #backoff: Backoff;
  readonly #established = Promise.withResolvers<void>();
  #isEstablished = false;
  #stream: Following | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Behind which event a later stream goes on. */
  #bookmark: Uint8Array | undefined;
  /** For a watch of one object: what the consumer knows of it; undefined before it knows anything. */
  #known: { readonly resource: Resource | undefined } | undefined;
  /** The contents of a kind until all have come, so that a stream that breaks in between can be repeated. */
  #contents: WatchEvent[] | undefined;
  #openedAt = 0;
  #failingSince: number | undefined;
  /** The next stream starts over; why. */
  #restart: Error | undefined;

  private constructor(start: RemoteWatchStart) {
    this.#start = start;
    this.#retry = start.retry === false ? undefined : { ...RETRY, ...start.retry };
    this.#backoff = new Backoff(this.#retry ?? RETRY);
    this.#bookmark = start.options.startFromBookmark;
    this.#inbox = new WatchInbox(start.options, {
      pause: () => this.#stream?.pause(),
      resume: () => this.#stream?.resume(),
      fail: (error) => this.#fail(error),
    });
  }

  /** Opens a watch and answers once the server has established it. @throws {InvalidBookmarkError} {@link ApiError} */
  static async open(start: RemoteWatchStart): Promise<RemoteWatch> {
    const watch = new RemoteWatch(start);
    watch.#connect();
    await watch.#established.promise;
    return watch;
  }

  take(): readonly WatchEvent[] {
    return this.#inbox.take();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly WatchEvent[], undefined, undefined> {
    return {
      next: () => this.#inbox.next(),
      return: () => {
        this[Symbol.dispose]();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  [Symbol.dispose](): void {
    this.#inbox.close();
    this.#leave();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#stream?.[Symbol.dispose]();
    this.#stream = undefined;
  }

  #connect(): void {
    const { caller, method, options, call } = this.#start;
    const mode = this.#restart !== undefined ? "restart" : this.#bookmark !== undefined ? "resume" : "first";
    const request = watchRequest(this.#start, options, mode, this.#bookmark);
    this.#contents = request.options?.bootstrapContents ? [] : undefined;
    let isReady = false;
    this.#stream = caller.follow(method, request, {
      message: (events) => {
        if (!isReady) this.#ready();
        isReady = true;
        if (events.length > 0) this.#receive(events);
      },
      end: (error) => {
        this.#stream = undefined;
        this.#broken(error ?? new ApiError("UNAVAILABLE", "Cannot watch: the server ended the stream"));
      },
    }, call);
  }

  #ready(): void {
    this.#openedAt = performance.now();
    this.#failingSince = undefined;
    if (this.#restart !== undefined) {
      this.#inbox.put([this.#event("noop", this.#restart)]);
      this.#known = this.#restart = this.#bookmark = undefined;
    }
    if (this.#isEstablished) return;
    this.#isEstablished = true;
    this.#established.resolve();
    this.#inbox.opened();
  }

  #receive(events: readonly WatchEvent[]): void {
    this.#backoff.reset();
    const seen: WatchEvent[] = [];
    for (const event of events) {
      if (event.bookmark !== undefined) this.#bookmark = event.bookmark;
      if (event.type === "errored") {
        this.#inbox.put(seen);
        return this.#give(event.error ?? new Error("Cannot watch: the server says no reason"));
      }
      const view = this.#start.id === undefined ? this.#seenOfKind(event) : this.#seenOfOne(event);
      for (const each of view) seen.push(each);
    }
    this.#inbox.put(seen);
  }

  #seenOfKind(event: WatchEvent): readonly WatchEvent[] {
    if (event.type === "noop") {
      if (event.error !== undefined && this.#start.options.resync) this.#contents = []; // what is there now follows
      return event.error !== undefined || this.#start.options.bootstrapBookmark ? [event] : [];
    }
    if (this.#contents === undefined) return [event];
    this.#contents.push(event);
    if (event.type !== "bootstrapped") return [];
    const contents = this.#contents;
    this.#contents = undefined;
    return contents;
  }

  #seenOfOne(event: WatchEvent): readonly WatchEvent[] {
    const { type, resource } = event;
    if (type === "noop") {
      this.#known = undefined;
      return [event];
    }
    const known = this.#known;
    const isThere = type !== "destroyed";
    this.#known = { resource: isThere ? resource : undefined };
    if (event.bookmark !== undefined || known === undefined) return [event];
    return changeSince(known.resource, event, isThere); // the first event of a stream that was opened again
  }

  #broken(error: Error): void {
    if (!this.#isEstablished) {
      const { kind: { namespace, type }, id = "" } = this.#start;
      const reason = stateErrorOf(error, { call: "watch", pointer: { namespace, type, id } });
      this.#inbox.close();
      return this.#established.reject(reason);
    }
    this.#give(error);
  }

  /** Tries again, starts over, or gives up, as the error and the options have it. */
  #give(error: Error): void {
    this.#leave();
    const { kind: { namespace, type }, id = "", options } = this.#start;
    const reason = stateErrorOf(error, { call: "watch", pointer: { namespace, type, id } });
    const isForeign = reason instanceof InvalidBookmarkError; // such as after a restart of a server without memory
    const isFinal = error instanceof ApiError && FINAL.has(error.code) && !isForeign;
    if (this.#retry === undefined || isFinal) return this.#fail(reason as Error);
    if (!(error instanceof ApiError) || isForeign || !this.#mayResume()) {
      if (!options.resync) return this.#fail(reason as Error);
      this.#restart = reason as Error;
    }
    const now = performance.now();
    if (now - this.#openedAt > STEADY_MS) this.#backoff.reset();
    this.#failingSince ??= now;
    if (now - this.#failingSince > this.#retry.limitMs) return this.#fail(error);
    this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
  }

  /** Whether a new stream can go on where the last one ended. */
  #mayResume(): boolean {
    if (this.#restart !== undefined || this.#bookmark !== undefined) return true;
    const { id, options: { tailEvents = 0, bootstrapContents = false } } = this.#start;
    return id === undefined ? bootstrapContents && tailEvents === 0 : tailEvents === 0;
  }

  #fail(error: Error): void {
    this.#leave();
    this.#inbox.end(this.#event("errored", error));
  }

  #event(type: EventType, error: Error): WatchEvent {
    const { kind, id = "" } = this.#start;
    const metadata = newMetadata({ ...kind, id: type === "errored" ? id : "" }, { created: EPOCH });
    return { type, resource: makeResource(metadata, {}), old: undefined, error, bookmark: undefined };
  }
}

/** What happened to one object while nobody looked. */
function changeSince(known: Resource | undefined, event: WatchEvent, isThere: boolean): readonly WatchEvent[] {
  if (!isThere) return known === undefined ? [] : [{ ...event, resource: known }];
  if (known === undefined) return [event];
  const { version, created } = event.resource.metadata;
  const isSame = known.metadata.version === version && known.metadata.created.seconds === created.seconds &&
    known.metadata.created.nanos === created.nanos;
  return isSame ? [] : [{ ...event, type: "updated", old: known }];
}
