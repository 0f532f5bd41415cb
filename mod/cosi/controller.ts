import type { AnyDefinition, SpecOf } from "./definition.ts";
import type { Phase } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";

/** How a controller depends on a kind (clause 3.21). */
export type InputKind = "weak" | "strong" | "destroyReady";

/** A kind, or one object of it, whose changes wake a controller and which it may read. */
export interface Input<D extends AnyDefinition = AnyDefinition, K extends InputKind = InputKind> {
  readonly definition: D;
  readonly kind: K;
  readonly namespace: string;
  readonly id: string | undefined;
}

/** Where an input is narrower or elsewhere than its type's default namespace. */
export interface InputPlace {
  readonly namespace?: string;
  readonly id?: string;
}

function input<D extends AnyDefinition, K extends InputKind>(definition: D, kind: K, place: InputPlace): Input<D, K> {
  return { definition, kind, namespace: place.namespace ?? definition.namespace, id: place.id };
}

/** Wake and read. */
export function weak<const D extends AnyDefinition>(definition: D, place: InputPlace = {}): Input<D, "weak"> {
  return input(definition, "weak", place);
}

/** Wake and read, and hold finalizers on the objects. */
export function strong<const D extends AnyDefinition>(definition: D, place: InputPlace = {}): Input<D, "strong"> {
  return input(definition, "strong", place);
}

/** Wake only when an object is tearing down and nobody holds a finalizer any more. */
export function destroyReady<const D extends AnyDefinition>(
  definition: D,
  place: InputPlace = {},
): Input<D, "destroyReady"> {
  return input(definition, "destroyReady", place);
}

/** Whether other controllers may write the same type (clause 3.23). */
export type OutputKind = "exclusive" | "shared";

/** A type that a controller writes. */
export interface Output<D extends AnyDefinition = AnyDefinition> {
  readonly definition: D;
  readonly kind: OutputKind;
}

/** This controller alone writes the type. */
export function exclusive<const D extends AnyDefinition>(definition: D): Output<D> {
  return { definition, kind: "exclusive" };
}

/** Several controllers write the type, each its own objects. */
export function shared<const D extends AnyDefinition>(definition: D): Output<D> {
  return { definition, kind: "shared" };
}

/** Something outside the state that wakes a controller, such as a netlink group. */
export interface WakeSource {
  /** Calls `wake` at each change until disposed. */
  subscribe(wake: () => void): Disposable;
}

type Inputs = readonly Input[];
type Outputs = readonly Output[];
/** What may be read: inputs and outputs. */
type Readable<I extends Inputs, O extends Outputs> = I[number]["definition"] | O[number]["definition"];
type Writable<O extends Outputs> = O[number]["definition"];
type Strong<I extends Inputs> = Extract<I[number], { readonly kind: "strong" }>["definition"];

/** Where an object is, when not in its type's default namespace. */
export interface Place {
  readonly namespace?: string;
}

/** Metadata that a write sets; what is left out stays as it is. */
export interface ModifyOptions extends Place {
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
 * What a controller may do, bound to its declared inputs and outputs. What was not declared does not compile, and is
 * refused at run time with an `AccessError`.
 */
export interface Access<I extends Inputs = Inputs, O extends Outputs = Outputs> {
  /** The object, or undefined when it is not there. */
  get<D extends Readable<I, O>>(definition: D, id: string, place?: Place): Promise<Resource<SpecOf<D>> | undefined>;
  /** All objects, sorted by id. */
  list<D extends Readable<I, O>>(definition: D, query?: Query & Place): Promise<readonly Resource<SpecOf<D>>[]>;
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
   * Makes the objects of this type that this controller owns in the namespace equal to `wanted`: writes what differs,
   * tears down and destroys the rest. An object that others still hold by finalizers goes once they let go; one that
   * is wanted again while tearing down is made anew after it went; the controller is woken for both. All objects are
   * tried before the first failure is thrown, and other work gets its turn in between.
   */
  sync<D extends Writable<O>>(definition: D, wanted: Iterable<Wanted<SpecOf<D>>>, place?: Place): Promise<void>;
  /**
   * Starts the end of an own object; answers whether it can be destroyed now, which one that is not there can. When
   * not, the controller is woken as soon as nobody holds it any more.
   */
  teardown<D extends Writable<O>>(definition: D, id: string, place?: Place): Promise<boolean>;
  /** Removes an own object; one that is not there is fine. @throws {ConflictError} while finalizers are left. */
  destroy<D extends Writable<O>>(definition: D, id: string, place?: Place): Promise<void>;
  /** Keeps an object of a strong input from being destroyed until the finalizer is removed. */
  addFinalizer<D extends Strong<I>>(definition: D, id: string, place?: Place): Promise<void>;
  /** Lets go; an object that is not there is fine. */
  removeFinalizer<D extends Strong<I>>(definition: D, id: string, place?: Place): Promise<void>;
  /** From here on, remembers what this run writes (clause 3.29). */
  startTrackingOutputs(): void;
  /**
   * Destroys own objects of these types that were not written since `startTrackingOutputs`, in the default namespace
   * and wherever the controller wrote; what others hold goes once they let go. @throws {TypeError} without a start.
   */
  cleanupOutputs(...definitions: readonly Writable<O>[]): Promise<void>;
  /** Replaces the set of inputs (clause 3.25). */
  updateInputs(inputs: Inputs): Promise<void>;
  /** Runs again as soon as this run has ended. */
  queueReconcile(): void;
  /** Runs again at the latest after this time, for what only the clock changes (certificates that age). */
  reconcileWithin(delayMs: number): void;
  /** One line about a change that was made. */
  log(message: string): void;
  /** Aborted when the runtime stops. */
  readonly signal: AbortSignal;
}

/** A controller as it is declared. */
export interface ControllerDeclaration<I extends Inputs, O extends Outputs> {
  /** `domain.NameController`; the owner of everything it writes. */
  readonly name: string;
  readonly inputs: I;
  readonly outputs: O;
  /** Wakes from outside the state; subscribed while the runtime runs. */
  readonly wakeOn?: readonly WakeSource[];
  /**
   * Brings the world to what the inputs say: reads everything, trusts no remembered event. A throw is logged once and
   * tried again with backoff; a return resets the backoff.
   */
  reconcile(access: Access<I, O>): Promise<void>;
  /** Runs once when the runtime stops, after the last reconcile. */
  shutdown?(): Promise<void> | void;
}

/** A controller that the runtime can hold, whatever its inputs and outputs. */
export interface Controller {
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly wakeOn: readonly WakeSource[];
  reconcile(access: Access): Promise<void>;
  shutdown?(): Promise<void> | void;
}

/** Declares a controller; its inputs and outputs are literals, so that `access` can be narrowed to them. */
export function defineController<const I extends Inputs, const O extends Outputs>(
  declaration: ControllerDeclaration<I, O>,
): Controller {
  const { name, inputs, outputs, wakeOn = [], shutdown } = declaration;
  return {
    name,
    inputs,
    outputs,
    wakeOn,
    reconcile: (access) => declaration.reconcile(access as unknown as Access<I, O>),
    ...(shutdown === undefined ? {} : { shutdown: () => shutdown() }),
  };
}
