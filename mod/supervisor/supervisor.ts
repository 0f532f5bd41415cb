import { EventBus } from "./event_bus.ts";
import type { LogBuffer } from "./log_buffer.ts";
import { delay, Notifier } from "./notifier.ts";
import { type Condition, Service, type ServiceDefinition } from "./service.ts";
import type { ServiceSnapshot } from "./service_state.ts";

/** There is no service of this id. */
export class ServiceNotFoundError extends Error {
  override readonly name = "ServiceNotFoundError";
  readonly id: string;
  constructor(id: string) {
    super(`Cannot find service "${id}": it is not loaded`);
    this.id = id;
  }
}

/** The service is in a state, or of a kind, in which this cannot be done. */
export class ServiceStateError extends Error {
  override readonly name = "ServiceStateError";
  readonly id: string;
  constructor(id: string, verb: string, state: string) {
    super(`Cannot ${verb} service "${id}": ${state}`);
    this.id = id;
  }
}

/**
 * All services of the machine: starts each once those that it depends on are up, independent ones at the same time, and
 * stops them the other way round.
 */
export class Supervisor {
  readonly #services = new Map<string, Service>();
  readonly #events: EventBus;
  readonly #changes = new Notifier();
  #isClosing = false;

  constructor(events: EventBus = new EventBus()) {
    this.#events = events;
  }

  /** Wakes at every change of any service; fits a controller's `wakeOn`. */
  get changes(): Pick<Notifier, "subscribe" | "next"> {
    return this.#changes;
  }

  /**
   * Makes a service known. Of an id that is known already, the description is replaced and log and events go on.
   *
   * @throws {ServiceStateError} if that one has not been stopped
   */
  load(definition: ServiceDefinition): void {
    const old = this.#services.get(definition.id);
    if (old?.isAlive) throw new ServiceStateError(definition.id, "replace", "it is running");
    this.#services.set(definition.id, new Service(definition, (service) => this.#changed(service), old?.log));
  }

  /** Forgets a service, its log and its events. @throws {ServiceStateError} if it has not been stopped */
  unload(id: string): void {
    if (this.#get(id).isAlive) throw new ServiceStateError(id, "remove", "it is running");
    this.#services.delete(id);
    this.#changes.notify();
  }

  /** Whether a service of this id is loaded. */
  has(id: string): boolean {
    return this.#services.has(id);
  }

  /** What users may do to it by API. @throws {ServiceNotFoundError} */
  allows(id: string, action: "start" | "stop" | "restart"): boolean {
    return this.#get(id).definition.userActions?.includes(action) ?? false;
  }

  /** Starts services, by default all; those that run already go on. Does not wait. @throws {ServiceNotFoundError} */
  start(...ids: string[]): void {
    for (const service of ids.length === 0 ? this.#services.values() : ids.map((id) => this.#get(id))) {
      if (this.#isClosing) throw new ServiceStateError(service.definition.id, "start", "the machine is going down");
      service.start((service.definition.dependencies ?? []).map((id) => this.upCondition(id)));
    }
  }

  /**
   * Stops a service, after the running ones that depend on it.
   *
   * @returns whether all of them ended; those that did not are `Failed`
   * @throws {ServiceNotFoundError}
   */
  async stop(id: string, graceMs?: number): Promise<boolean> {
    this.#get(id);
    return await this.#stopEach([...this.#dependents(id), id], graceMs);
  }

  /** Stops and starts one service; those that depend on it go on. @throws {ServiceNotFoundError} */
  async restart(id: string): Promise<void> {
    const service = this.#get(id);
    if (!(await service.stop())) throw new ServiceStateError(id, "restart", "it did not stop");
    this.start(id);
  }

  /**
   * Stops all services for good, each after those that depend on it; no service can be started any more.
   *
   * @param leaveLast goes without those that stop last; a second call stops them
   */
  async close(graceMs?: number, { leaveLast = false } = {}): Promise<boolean> {
    this.#isClosing = true;
    for (const service of this.#services.values()) service.retire(); // what fails while it waits for its turn is left
    const definitions = [...this.#services.values()].map(({ definition }) => definition);
    const ids = (isLast: boolean) =>
      definitions.filter(({ stopsLast = false }) => stopsLast === isLast).map(({ id }) => id);
    const ended = await this.#stopEach(ids(false), graceMs);
    return leaveLast ? ended : await this.#stopEach(ids(true), graceMs) && ended;
  }

  /** One service as it is now. @throws {ServiceNotFoundError} */
  snapshot(id: string): ServiceSnapshot {
    return this.#get(id).snapshot;
  }

  /** All services as they are now, by id. */
  snapshots(): ServiceSnapshot[] {
    return [...this.#services.values()].map((one) => one.snapshot).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The log of a service. @throws {ServiceNotFoundError} */
  log(id: string): LogBuffer {
    return this.#get(id).log;
  }

  /** Runs, and is healthy as far as that is checked. False for an unknown service. */
  isUp(id: string): boolean {
    return this.#services.get(id)?.isUp ?? false;
  }

  /** Met while the service is up; it need not be loaded yet. */
  upCondition(id: string): Condition {
    return {
      description: `service "${id}" to be up`,
      wait: async (signal) => {
        while (!this.isUp(id) && !signal.aborted) await this.#changes.next(signal);
      },
    };
  }

  /** Waits until the predicate holds; false if `ms` ran out before. */
  async waitFor(isSo: () => boolean, ms: number): Promise<boolean> {
    const end = new AbortController();
    void delay(ms, end.signal).then(() => end.abort());
    try {
      while (!isSo() && !end.signal.aborted) await this.#changes.next(end.signal);
      return isSo();
    } finally {
      end.abort();
    }
  }

  #get(id: string): Service {
    const service = this.#services.get(id);
    if (service === undefined) throw new ServiceNotFoundError(id);
    return service;
  }

  /** Ids that depend on this one, directly or not. */
  #dependents(id: string, found = new Set<string>()): Set<string> {
    for (const { definition } of this.#services.values()) {
      if (found.has(definition.id) || definition.id === id || !definition.dependencies?.includes(id)) continue;
      found.add(definition.id);
      this.#dependents(definition.id, found);
    }
    return found;
  }

  /** Each stops as soon as its own dependents among them have; a circle of dependencies stops all at once. */
  async #stopEach(ids: readonly string[], graceMs?: number): Promise<boolean> {
    const stops = new Map<string, Promise<boolean>>();
    const stop = (id: string, path: readonly string[]): Promise<boolean> => {
      const known = stops.get(id);
      if (known !== undefined) return known;
      const dependents = [...this.#dependents(id)].filter((one) => ids.includes(one) && !path.includes(one));
      const first = dependents.map((one) => stop(one, [...path, id]));
      const own = Promise.all(first).then(() => this.#get(id).stop(graceMs));
      stops.set(id, own);
      return own;
    };
    return (await Promise.all(ids.map((id) => stop(id, [])))).every((ended) => ended);
  }

  #changed({ snapshot }: Service): void {
    const last = snapshot.history.at(-1);
    this.#events.publish({
      ...{ kind: "serviceState", service: snapshot.id, action: snapshot.state },
      ...{ message: last?.message ?? "", health: snapshot.health },
    });
    this.#changes.notify();
  }
}
