import type { Access, Wanted } from "./access.ts";
import type { AnyDefinition, SpecOf } from "./definition.ts";
import type { Input } from "./inputs.ts";
import type { Kind, Pointer } from "./metadata.ts";
import { syncOutputs } from "./output_sync.ts";
import { OutputTracker } from "./output_tracker.ts";
import type { Resource } from "./resource.ts";
import { type AccessHost, HERE, kindOf, ResourceAccess } from "./resource_access.ts";
import type { WriteCause } from "./write_cause.ts";

/** What the access of a controller that sees all its objects at once needs of its runner. */
export interface LoopHost extends AccessHost {
  request(): void;
  /** Hears of what the run reads. */
  read(resources: readonly Resource[]): void;
  wakeWithin(delayMs: number): void;
  updateInputs(inputs: readonly Input[]): Promise<void>;
}

/** The access of one controller over all its runs. */
export class RuntimeAccess extends ResourceAccess implements Access {
  readonly #loop: LoopHost;
  readonly #tracker = new OutputTracker();

  constructor(host: LoopHost, cause: WriteCause) {
    super(host, cause);
    this.#loop = host;
  }

  override read(resources: readonly Resource[]): void {
    this.#loop.read(resources);
  }

  override mark(pointer: Pointer): void {
    this.#tracker.mark(pointer);
  }

  async sync<D extends AnyDefinition>(definition: D, wanted: Iterable<Wanted<SpecOf<D>>>, place = HERE): Promise<void> {
    const kind = kindOf(definition, place);
    const { rules, counters, state, name } = this.host;
    rules.checkWrite(kind);
    const marked = this.#tracker.isTracking ? this.#marking(kind, wanted) : wanted;
    counters.reads++;
    const onWrite = (id: string, stored: Parameters<typeof this.wrote>[2]) => this.wrote(kind, id, stored);
    const { writes, isHeld } = await syncOutputs(state, kind, name, marked, onWrite);
    counters.writes += writes;
    if (isHeld) await this.host.awaitRelease(kind, name);
  }

  *#marking<S>(kind: Kind, wanted: Iterable<Wanted<S>>): Iterable<Wanted<S>> {
    for (const item of wanted) {
      this.#tracker.mark({ ...kind, id: item.id });
      yield item;
    }
  }

  startTrackingOutputs(): void {
    if (this.#tracker.isTracking) throw new TypeError("Cannot track outputs: tracking has been started");
    this.#tracker.start();
  }

  async cleanupOutputs(...definitions: readonly AnyDefinition[]): Promise<void> {
    if (!this.#tracker.isTracking) throw new TypeError("Cannot clean up outputs: tracking was not started");
    const { rules, counters, state, name } = this.host;
    for (const definition of definitions) rules.checkWrite(kindOf(definition, HERE));
    for (const definition of definitions) {
      for (const namespace of this.#tracker.namespacesOf(definition)) {
        counters.reads++;
        const kind = { namespace, type: definition.type };
        for (const { metadata } of await state.list(kind)) {
          if (metadata.owner !== name || this.#tracker.isMarked(metadata)) continue;
          if (await this.endOf(metadata)) await this.remove(metadata);
        }
      }
    }
    this.#tracker.stop();
  }

  async updateInputs(inputs: readonly Input[]): Promise<void> {
    await this.#loop.updateInputs(inputs);
  }

  queueReconcile(): void {
    this.#loop.request();
  }

  reconcileWithin(delayMs: number): void {
    this.#loop.wakeWithin(delayMs);
  }

  /** What the run remembered ends with it. */
  endRun(): void {
    this.#tracker.stop();
  }
}
