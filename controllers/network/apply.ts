import { EADDRNOTAVAIL, ENODEV, ESRCH } from "../../kernel/errno.ts";
import type { NetlinkRequest } from "../../kernel/netlink.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import {
  type Access,
  type AnyDefinition,
  hold,
  type Input,
  type Resource,
  type ResourceDefinition,
} from "../../mod/cosi/mod.ts";

/** What is to be done for one object, in order. */
export interface ObjectPlan {
  /** Requests to the kernel; none when it is as wished, or when it has to wait for a link. */
  readonly requests: readonly NetlinkRequest[];
  /** Why nothing can be done, for a person; absent when nothing is wrong. */
  readonly problem?: string;
}

/** How a type of object is brought into the kernel. */
export interface Planner<S> {
  /** Brings about what is wished. */
  wanted(spec: S): ObjectPlan;
  /** Takes away what was wished, unless it is not there any more. */
  unwanted(spec: S): ObjectPlan;
  /** Order of wishes among each other; what others build on comes first. */
  rank(spec: S): number;
}

/** What the kernel may answer when what shall go is not there any more. */
const ALREADY_GONE = new Set([ESRCH, EADDRNOTAVAIL, ENODEV]);

/** An object that is asked for this often within this time, for one and the same wish, is left alone for a while. */
const MAX_CORRECTIONS = 20;
const CORRECTION_WINDOW_MS = 1000;
const QUARREL = "Cannot keep it as wished: something else changes it back all the time";

const GRACE_MS = 400;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;

type Writer<D extends AnyDefinition> = Access<readonly [Input<D, "strong">], readonly []>;

/**
 * Applies wishes of one type: takes away first, then adds, everything in one batch. What the kernel refuses is logged
 * once and tried again later by the applier itself: a failing reconcile would keep all other wishes waiting.
 */
export class Applier<S, T extends string> {
  #name: string;
  #definition: ResourceDefinition<S, T>;
  #conn: Pick<RtnlConn, "batch">;
  #problems = new Map<string, Problem>();
  #corrections = new Map<string, { count: number; readonly since: number; readonly wish: S }>();
  #retryMs = FIRST_RETRY_MS;
  /** When what was refused is tried next; in between, passes for other reasons must not put it off. */
  #retryAtMs = 0;

  /** @param name of the controller, which is also its finalizer */
  constructor(name: string, definition: ResourceDefinition<S, T>, conn: Pick<RtnlConn, "batch">) {
    this.#name = name;
    this.#definition = definition;
    this.#conn = conn;
  }

  /** One pass over all wishes. @throws {SyscallError} when the kernel cannot be asked at all */
  async apply(r: Writer<ResourceDefinition<S, T>>, planner: Planner<S>): Promise<void> {
    const wishes = (await r.list(this.#definition)) as readonly Resource<S>[];
    const going = wishes.filter(({ metadata }) => metadata.phase === "tearingDown");
    const running: Resource<S>[] = [];
    for (const wish of wishes) {
      const { id, phase, finalizers } = wish.metadata;
      if (phase !== "running") continue;
      if (finalizers.includes(this.#name) || await hold(r, this.#definition, id)) running.push(wish);
    }
    running.sort((a, b) => planner.rank(a.spec) - planner.rank(b.spec));
    const plans = [
      ...going.map(({ metadata, spec }) => ({ id: metadata.id, isGoing: true, ...planner.unwanted(spec) })),
      ...running.map(({ metadata: { id }, spec }) => ({
        id,
        isGoing: false,
        ...this.#withoutQuarrel(id, spec, planner.wanted(spec)),
      })),
    ];
    const problems = new Map<string, string>();
    for (const { id, problem } of plans) if (problem !== undefined) problems.set(id, problem);
    this.#send(plans, problems, (message) => r.log(message));
    for (const { id, isGoing } of plans) {
      if (isGoing && !problems.has(id)) await r.removeFinalizer(this.#definition, id);
    }
    this.#report(r, problems);
  }

  /** Keeps two programs that undo each other's work, or a refused wish, from costing all that the machine has. */
  #withoutQuarrel(id: string, wish: S, plan: ObjectPlan): ObjectPlan {
    if (plan.requests.length === 0) return plan;
    const now = performance.now();
    let entry = this.#corrections.get(id);
    if (entry === undefined || entry.wish !== wish || now - entry.since > CORRECTION_WINDOW_MS) {
      this.#corrections.set(id, entry = { count: 0, since: now, wish });
    }
    if (++entry.count <= MAX_CORRECTIONS) return plan;
    return { requests: [], problem: this.#problems.get(id)?.text ?? QUARREL };
  }

  #send(
    plans: readonly (ObjectPlan & { readonly id: string; readonly isGoing: boolean })[],
    problems: Map<string, string>,
    log: (message: string) => void,
  ): void {
    const steps = plans.flatMap(({ id, isGoing, requests }) => requests.map((request) => ({ id, isGoing, request })));
    if (steps.length === 0) return;
    const results = this.#conn.batch(steps.map(({ request }) => request));
    const done = new Set<string>();
    steps.forEach(({ id, isGoing, request }, index) => {
      const error = results[index];
      if (error === undefined) done.add(`${request.verb} ${id}`);
      else if (isGoing && ALREADY_GONE.has(error.errno)) return;
      // what follows may come of the first; that it exists already is told too: it is there in another form than wished
      else if (!problems.has(id)) problems.set(id, error.message);
    });
    for (const message of done) log(message);
  }

  /** A route is often refused until its link and address are there, moments later: only what lasts is told. */
  #report(r: Writer<ResourceDefinition<S, T>>, texts: ReadonlyMap<string, string>): void {
    const now = performance.now();
    const problems = new Map<string, Problem>();
    for (const [id, text] of texts) {
      const old = this.#problems.get(id);
      const isNew = old?.text !== text;
      const { since, isTold } = isNew ? { since: now, isTold: false } : old;
      if (isNew) [this.#retryMs, this.#retryAtMs] = [FIRST_RETRY_MS, 0]; // it need not wait for what is refused for long
      const isLasting = now - since >= GRACE_MS;
      if (isLasting && !isTold) r.log(`${id}: ${text}`);
      problems.set(id, { text, since, isTold: isLasting });
    }
    this.#problems = problems;
    for (const [id, { since }] of this.#corrections) {
      if (since < now - CORRECTION_WINDOW_MS) this.#corrections.delete(id);
    }
    if (problems.size === 0) {
      [this.#retryMs, this.#retryAtMs] = [FIRST_RETRY_MS, 0];
      return;
    }
    if (now >= this.#retryAtMs) {
      this.#retryAtMs = now + this.#retryMs;
      this.#retryMs = Math.min(this.#retryMs * 1.5, LAST_RETRY_MS);
    }
    r.reconcileWithin(this.#retryAtMs - now);
  }
}

/** Why a wish does not come true. */
interface Problem {
  readonly text: string;
  readonly since: number;
  readonly isTold: boolean;
}
