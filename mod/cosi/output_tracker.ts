import type { AnyDefinition } from "./definition.ts";
import type { Pointer } from "./metadata.ts";

/** Remembers what a run wrote (cosi.md 3-E), and in which namespaces the controller ever wrote. */
export class OutputTracker {
  readonly #namespaces = new Map<string, Set<string>>();
  #marked: Set<string> | undefined;

  get isTracking(): boolean {
    return this.#marked !== undefined;
  }

  start(): void {
    this.#marked = new Set();
  }

  stop(): void {
    this.#marked = undefined;
  }

  /** Marks an object that the run wants, whether or not the write succeeds. */
  mark(pointer: Pointer): void {
    const { namespace, type } = pointer;
    let namespaces = this.#namespaces.get(type);
    if (namespaces === undefined) this.#namespaces.set(type, namespaces = new Set());
    namespaces.add(namespace);
    this.#marked?.add(keyOf(pointer));
  }

  isMarked(pointer: Pointer): boolean {
    return this.#marked?.has(keyOf(pointer)) ?? false;
  }

  /** Where objects of the type may be. */
  namespacesOf({ type, namespace }: AnyDefinition): ReadonlySet<string> {
    return new Set([namespace, ...(this.#namespaces.get(type) ?? [])]);
  }
}

function keyOf({ namespace, type, id }: Pointer): string {
  return `${namespace.length}:${namespace}${type.length}:${type}${id}`;
}
