import type { SpecOf } from "./definition.ts";
import type { AnyInput, Input, Output } from "./inputs.ts";
import type { Phase } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";

type Inputs = readonly AnyInput[];
type Outputs = readonly Output[];
/** What may be read: inputs and outputs. */
type Readable<I extends Inputs, O extends Outputs> = I[number]["definition"] | O[number]["definition"];
type Writable<O extends Outputs> = O[number]["definition"];
/** What may be held by finalizers. */
type Strong<I extends Inputs> = Extract<I[number], { readonly kind: "strong" | "qPrimary" | "qMapped" }>["definition"];

/** Where an object is, when not in its type's default namespace. */
export interface Place {
  readonly namespace?: string;
}

/** An object to write, and as whom. */
export interface OwnedPlace extends Place {
  /** Whose object it is: the controller's own unless said; empty for nobody's (clause 3.27). */
  readonly owner?: string;
}

/** Metadata that a write sets; what is left out stays as it is. */
export interface ModifyOptions extends OwnedPlace {
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
  readonly expectedPhase?: Phase | "any";
}

/** One object that a controller wants to exist, as a whole: labels and annotations that are left out are taken off. */
export interface Wanted<S> {
  readonly id: string;
  readonly spec: S;
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
}

/**
 * What a queue controller may do, bound to its declared inputs and outputs. What was not declared does not compile, and
 * is refused at run time with an `AccessError`.
 */
export interface QAccess<I extends Inputs = Inputs, O extends Outputs = Outputs> {
  /** The object, or undefined when it is not there. */
  get<D extends Readable<I, O>>(definition: D, id: string, place?: Place): Promise<Resource<SpecOf<D>> | undefined>;
  /** As `get`, past the cache of a cached kind. */
  getUncached<D extends Readable<I, O>>(
    definition: D,
    id: string,
    place?: Place,
  ): Promise<Resource<SpecOf<D>> | undefined>;
  /** All objects, sorted by id. */
  list<D extends Readable<I, O>>(definition: D, query?: Query & Place): Promise<readonly Resource<SpecOf<D>>[]>;
  /** As `list`, past the cache of a cached kind. */
  listUncached<D extends Readable<I, O>>(
    definition: D,
    query?: Query & Place,
  ): Promise<readonly Resource<SpecOf<D>>[]>;
  /** Aborted when the object is missing, tearing down or gone, or when the runtime stops (clause 2.23). */
  teardownSignal(definition: Readable<I, O>, id: string, place?: Place): Promise<AbortSignal>;
  /**
   * Creates the object or updates its spec under this controller's name; an equal result writes nothing (clause 2.18).
   * `change` is the new spec, or makes it from the current one.
   */
  modify<D extends Writable<O>>(
    definition: D,
    id: string,
    change: SpecOf<D> | ((current: SpecOf<D> | undefined) => SpecOf<D>),
    options?: ModifyOptions,
  ): Promise<Resource<SpecOf<D>>>;
  /**
   * Starts the end of an own object; answers whether it can be destroyed now, which one that is not there can. When
   * not, the controller is woken as soon as nobody holds it any more.
   */
  teardown<D extends Writable<O>>(definition: D, id: string, place?: OwnedPlace): Promise<boolean>;
  /** Removes an own object; one that is not there is fine. @throws {ConflictError} while finalizers are left. */
  destroy<D extends Writable<O>>(definition: D, id: string, place?: OwnedPlace): Promise<void>;
  /** Keeps an object of a strong input from being destroyed until the finalizer is removed. */
  addFinalizer<D extends Strong<I>>(definition: D, id: string, place?: Place): Promise<void>;
  /** Lets go; an object that is not there is fine. */
  removeFinalizer<D extends Strong<I>>(definition: D, id: string, place?: Place): Promise<void>;
  /** One line about a change that was made. */
  log(message: string): void;
  /** Aborted when the runtime stops. */
  readonly signal: AbortSignal;
}

/** What a controller may do: as {@link QAccess}, and what needs the view of all its objects at once. */
export interface Access<I extends Inputs = readonly Input[], O extends Outputs = Outputs> extends QAccess<I, O> {
  /**
   * Makes the objects of this type that this controller owns in the namespace equal to `wanted`: writes what differs,
   * tears down and destroys the rest. An object that others still hold by finalizers goes once they let go; one that
   * is wanted again while tearing down is made anew after it went; the controller is woken for both. All objects are
   * tried before the first failure is thrown, and other work gets its turn in between.
   */
  sync<D extends Writable<O>>(definition: D, wanted: Iterable<Wanted<SpecOf<D>>>, place?: Place): Promise<void>;
  /** From here on, remembers what this run writes (clause 3.29). @throws {TypeError} when it does already. */
  startTrackingOutputs(): void;
  /**
   * Destroys own objects of these types that were not written since `startTrackingOutputs`, in the default namespace
   * and wherever the controller wrote; what others hold goes once they let go. @throws {TypeError} without a start.
   */
  cleanupOutputs(...definitions: readonly Writable<O>[]): Promise<void>;
  /** Replaces the set of inputs (clause 3.25). */
  updateInputs(inputs: readonly Input[]): Promise<void>;
  /** Runs again as soon as this run has ended. */
  queueReconcile(): void;
  /** Runs again at the latest after this time, for what only the clock changes (certificates that age). */
  reconcileWithin(delayMs: number): void;
}
