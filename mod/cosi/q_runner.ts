import { AccessRules } from "./access_rules.ts";
import { Backoff, pause } from "./backoff.ts";
import { type ControllerCounters, type ControllerStatus, countFailure, newCounters } from "./controller_status.ts";
import { ControllerStatuses } from "./controller_statuses.ts";
import type { QInput } from "./inputs.ts";
import type { Dependent, KindFeed } from "./kind_feed.ts";
import type { Metadata, Pointer } from "./metadata.ts";
import type { QController, ReducedMetadata } from "./q_controller.ts";
import { QInputFeed, type QJob } from "./q_input_feed.ts";
import { type QueueItem, ReconcileQueue } from "./reconcile_queue.ts";
import { RequeueError, SkipReconcile } from "./requeue.ts";
import { type AccessHost, findObject, listObjects, ResourceAccess } from "./resource_access.ts";
import type { Runner, RunnerHost } from "./runner_host.ts";
import { findResource } from "./operations.ts";
import type { Resource } from "./resource.ts";
import type { State, WatchEvent } from "./state.ts";
import { TeardownSignals } from "./teardown_signals.ts";
import type { CauseLog, WriteCause } from "./write_cause.ts";

/** A hook that ran for longer than this before it failed starts its backoff anew (clause 3.18). */
const HEALTHY_MS = 60_000;

/** Runs one queue controller (cosi.md 3-B). */
export class QRunner implements Runner {
  readonly controller: QController;
  readonly name: string;
  readonly counters: ControllerCounters;
  readonly signal: AbortSignal;
  readonly state: State;
  readonly causes: CauseLog;
  readonly rules: AccessRules;
  readonly ends = new TeardownSignals();

  readonly #host: RunnerHost;
  readonly #stop = new AbortController();
  readonly #queue = new ReconcileQueue<QJob>(() => this.#pump());
  readonly #backoffs = new Map<string, Backoff>();
  readonly #inputs: QInputFeed[];
  /** What waits for others to let go, by job and object. */
  readonly #waiting = new Map<string, { readonly feed: KindFeed; readonly dependent: Dependent }>();
  readonly #busy = new Set<Promise<void>>();
  #isOpen = false;

  constructor(controller: QController, host: RunnerHost) {
    const { name, inputs, outputs } = controller;
    this.controller = controller;
    this.name = name;
    this.signal = this.#stop.signal;
    this.state = host.stateFor(this.signal);
    this.causes = host.causes;
    this.counters = newCounters(name);
    this.rules = new AccessRules(name, inputs, outputs);
    this.#host = host;
    this.#inputs = inputs.map((input) => this.#inputFeed(input));
  }

  #inputFeed(input: QInput): QInputFeed {
    const { namespace, definition: { type }, id } = input;
    const kind = { namespace, type };
    return new QInputFeed(input, this.#host.feed(kind), {
      signal: this.signal,
      backoff: this.#host.backoff,
      list: async () => {
        if (id === undefined) return await listObjects(this.#accessHost(), kind);
        const found = await findObject(this.#accessHost(), { ...kind, id });
        return found === undefined ? [] : [found];
      },
      put: (job) => {
        // Its own status would wake it for ever.
        const isOwn = type === ControllerStatuses.type && job.pointer.id === this.name && job.reason === "change";
        if (!isOwn) this.#put(job);
      },
      failed: (error) => this.#noteFailure("list", error),
      missed: () => {
        for (const primary of this.#inputs) if (primary.isPrimary) void primary.fill("resync", "all");
      },
    });
  }

  status(): ControllerStatus {
    const { length } = this.#queue;
    return { ...this.counters, queue: { ...this.counters.queue, length } };
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  log(level: "info" | "error", message: string): void {
    this.#host.log(this.name, level, message);
  }

  async run(): Promise<void> {
    for (const input of this.#inputs) input.attach();
    await Promise.all(this.#inputs.map((input) => input.feed.open()));
    this.#isOpen = true;
    this.counters.state = "idle";
    const work = this.#inputs.filter(({ isPrimary }) => isPrimary).map((input) => input.fill("start", "changed"));
    work.push(this.#runHook());
    this.#pump();
    this.#host.changed(this);
    if (!this.signal.aborted) {
      await new Promise((resolve) => this.signal.addEventListener("abort", resolve, { once: true }));
    }
    await Promise.all(work);
    while (this.#busy.size > 0) await Promise.all(this.#busy);
    this.#queue.close();
    this.counters.state = "stopped";
    this.#host.changed(this);
  }

  async shutDown(): Promise<void> {
    for (const input of this.#inputs) input.detach();
    for (const { feed, dependent } of this.#waiting.values()) feed.remove(dependent);
    await this.controller.shutdownHook?.();
  }

  #put(job: QJob): void {
    if (this.signal.aborted) return;
    this.counters.wakeUps++;
    this.#queue.put(this.#keyOf(job), job);
  }

  /** Short, because it is looked up several times for each run. */
  #keyOf({ mapped, pointer }: QJob): string {
    const at = this.#inputs.findIndex(({ input }) =>
      input.definition.type === pointer.type && input.namespace === pointer.namespace
    );
    return `${mapped === undefined ? "r" : "m"}${at} ${pointer.id}`;
  }

  /** Starts what may be started. */
  #pump(): void {
    while (this.#isOpen && !this.signal.aborted && this.#queue.running < this.controller.concurrency) {
      const item = this.#queue.take();
      if (item === undefined) return;
      const work = this.#work(item).finally(() => {
        this.#busy.delete(work);
        if (this.#queue.running === 0 && this.counters.state === "running") this.counters.state = "idle";
        this.#pump();
      });
      this.#busy.add(work);
    }
  }

  async #work({ key, value: job }: QueueItem<QJob>): Promise<void> {
    await this.#host.turn.enter();
    if (this.signal.aborted) return;
    const { counters } = this;
    const start = performance.now();
    counters.state = "running";
    if (job.mapped === undefined) counters.runs++;
    this.#host.changed(this);
    let delayMs: number | undefined;
    try {
      await this.#attempt(job);
      counters.failures = 0;
      this.#backoffs.delete(key);
    } catch (error) {
      delayMs = this.#delayAfter(key, job, error);
    }
    const tookMs = performance.now() - start;
    if (job.mapped !== undefined) counters.queue.mapMs += tookMs;
    else {
      counters.lastRunMs = tookMs;
      counters.runMs += tookMs;
    }
    this.#queue.release(key, delayMs);
    this.#host.changed(this);
  }

  async #attempt(job: QJob): Promise<void> {
    const access = new ResourceAccess(this.#accessHost(job), causeOf(this.name, job));
    const { reason, objects, pointer: { namespace, type, id } } = job;
    if (job.mapped === undefined) return await this.controller.reconcile(access, { namespace, type, id });
    this.counters.queue.mappedIn++;
    const pointers = await this.controller.mapInput(access, reduced(job.mapped));
    for (const pointer of pointers) this.#checkPrimary(pointer);
    this.counters.queue.mappedOut += pointers.length;
    for (const pointer of pointers) this.#put({ pointer, mapped: undefined, reason, objects });
  }

  /** @throws {TypeError} when it is not of a primary input (clause 3.16). */
  #checkPrimary({ namespace, type, id }: Pointer): void {
    const isPrimary = this.controller.inputs.some((input) =>
      input.kind === "qPrimary" && input.namespace === namespace && input.definition.type === type &&
      (input.id === undefined || input.id === id)
    );
    if (!isPrimary) {
      throw new TypeError(`Cannot queue ${type} in "${namespace}": it is no primary input of "${this.name}"`);
    }
  }

  /** What a failure means: milliseconds until the next try, or undefined for none (clause 3.14). */
  #delayAfter(key: string, { pointer: { type, id } }: QJob, error: unknown): number | undefined {
    const { counters } = this;
    if (this.signal.aborted) return undefined;
    if (error instanceof SkipReconcile) {
      counters.queue.skips++;
      this.#backoffs.delete(key);
      return undefined;
    }
    if (error instanceof RequeueError && error.cause === undefined) {
      counters.queue.requeues++;
      counters.failures = 0;
      this.#backoffs.delete(key);
      return error.afterMs;
    }
    if (error instanceof RequeueError && error.cause instanceof SkipReconcile) {
      counters.queue.skips++;
      this.#backoffs.delete(key);
      return error.afterMs;
    }
    const delayMs = error instanceof RequeueError ? error.afterMs : this.#backoffOf(key).next();
    countFailure(counters, error);
    this.log("error", `${type} "${id}": ${counters.lastError}; next try in ${Math.round(delayMs)} ms`);
    return delayMs;
  }

  #backoffOf(key: string): Backoff {
    let backoff = this.#backoffs.get(key);
    if (backoff === undefined) this.#backoffs.set(key, backoff = new Backoff(this.#host.backoff));
    return backoff;
  }

  #accessHost(job?: QJob): AccessHost {
    const { name, state, signal, counters, causes, rules, ends } = this;
    return {
      ...{ name, state, signal, counters, causes, rules, ends },
      cachedFeed: (kind) => this.#host.cachedFeed(kind),
      awaitRelease: async (kind, _owner, id) => {
        if (job !== undefined && id !== undefined) await this.#awaitRelease({ ...kind, id }, job);
      },
      log: (level, message) => this.log(level, message),
    };
  }

  /** Puts a job again once nobody holds an object any more whose end it asked for. */
  async #awaitRelease({ namespace, type, id }: Pointer, job: QJob): Promise<void> {
    const key = JSON.stringify([this.#keyOf(job), namespace, type, id]);
    if (this.#waiting.has(key)) return;
    const feed = this.#host.feed({ namespace, type });
    const again = () => {
      feed.remove(dependent);
      if (this.#waiting.delete(key)) this.#put(job);
    };
    const wake = ([event]: readonly WatchEvent[]) => {
      if (event?.type === "destroyed" || !isEnding(event?.resource)) again();
    };
    const dependent: Dependent = { kind: "weak", id, wake, resync: again };
    this.#waiting.set(key, { feed, dependent });
    feed.add(dependent);
    await feed.open();
    if (!isEnding(await findResource(this.state, { namespace, type, id }))) again(); // let go before the watch was there
  }

  async #runHook(): Promise<void> {
    const { runHook } = this.controller;
    if (runHook === undefined) return;
    const backoff = new Backoff(this.#host.backoff);
    while (!this.signal.aborted) {
      const start = performance.now();
      try {
        const cause: WriteCause = { controller: this.name, at: Date.now(), reason: "start", objects: [], more: 0 };
        return await runHook(new ResourceAccess(this.#accessHost(), cause));
      } catch (error) {
        if (this.signal.aborted) return;
        if (performance.now() - start > HEALTHY_MS) backoff.reset();
        this.#noteFailure("run hook", error);
        await pause(backoff.next(), this.signal);
      }
    }
  }

  #noteFailure(what: string, error: unknown): void {
    countFailure(this.counters, error);
    this.log("error", `${what}: ${this.counters.lastError}`);
    this.#host.changed(this);
  }
}

/** Whether the end of an object waits for who holds it. */
function isEnding(resource: Resource | undefined): boolean {
  return resource?.metadata.phase === "tearingDown" && resource.metadata.finalizers.length > 0;
}

function reduced({ namespace, type, id, phase, labels, finalizers }: Metadata): ReducedMetadata {
  return { namespace, type, id, phase, labels, finalizersEmpty: finalizers.length === 0 };
}

function causeOf(controller: string, job: QJob): WriteCause {
  return { controller, at: Date.now(), reason: job.reason, objects: job.objects, more: 0 };
}
