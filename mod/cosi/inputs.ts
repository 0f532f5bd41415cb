import type { AnyDefinition } from "./definition.ts";

/** How a controller depends on a kind (clause 3.21). */
export type InputKind = "weak" | "strong" | "destroyReady";
/** How a queue controller depends on a kind (clause 3.21). */
export type QInputKind = "qPrimary" | "qMapped" | "qMappedDestroyReady";

/** A kind, or one object of it, whose changes wake a controller and which it may read. */
export interface Input<D extends AnyDefinition = AnyDefinition, K extends InputKind | QInputKind = InputKind> {
  readonly definition: D;
  readonly kind: K;
  readonly namespace: string;
  readonly id: string | undefined;
}

/** An input of a queue controller. */
export type QInput<D extends AnyDefinition = AnyDefinition> = Input<D, QInputKind>;
/** An input of either style. */
export type AnyInput = Input<AnyDefinition, InputKind | QInputKind>;

/** Where an input is narrower or elsewhere than its type's default namespace. */
export interface InputPlace {
  readonly namespace?: string;
  readonly id?: string;
}

function input<D extends AnyDefinition, K extends InputKind | QInputKind>(
  definition: D,
  kind: K,
  place: InputPlace,
): Input<D, K> {
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

/** Queue the object itself at each change. */
export function qPrimary<const D extends AnyDefinition>(definition: D, place: InputPlace = {}): Input<D, "qPrimary"> {
  return input(definition, "qPrimary", place);
}

/** Queue at each change what `mapInput` makes of the object. */
export function qMapped<const D extends AnyDefinition>(definition: D, place: InputPlace = {}): Input<D, "qMapped"> {
  return input(definition, "qMapped", place);
}

/** As `qMapped`, but only when an object is tearing down and nobody holds a finalizer any more. */
export function qMappedDestroyReady<const D extends AnyDefinition>(
  definition: D,
  place: InputPlace = {},
): Input<D, "qMappedDestroyReady"> {
  return input(definition, "qMappedDestroyReady", place);
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
