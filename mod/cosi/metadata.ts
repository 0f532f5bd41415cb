/** `running`, or `tearingDown` once somebody asked for the end of the object (clause 1.4). */
export type Phase = "running" | "tearingDown";

/** A point in time with nanoseconds, so that a foreign timestamp survives a round trip. */
export interface Timestamp {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly seconds: number;
  /** 0 … 999,999,999. */
  readonly nanos: number;
}

/** Labels and annotations: real maps, because `__proto__` is a legal key (clause 9.32). */
export type TextMap = ReadonlyMap<string, string>;

/** Everything about a resource but its spec (clause 1.4). Frozen; a change is a new object. */
export interface Metadata {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  /** Undefined until stored; 1 after create, one more at each update (clause 1.7). */
  readonly version: bigint | undefined;
  /** Name of the controller that may write it; empty when nobody owns it. */
  readonly owner: string;
  readonly phase: Phase;
  readonly created: Timestamp;
  readonly updated: Timestamp;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  /** In the order of addition, without duplicates. While there are any, the object cannot be destroyed. */
  readonly finalizers: readonly string[];
}

/** Namespace and type: a collection. */
export interface Kind {
  readonly namespace: string;
  readonly type: string;
}

/** The identity of a resource. */
export interface Pointer extends Kind {
  readonly id: string;
}

/** `type(namespace/id)`, the text form of clause 1.2. */
export function pointerText(pointer: Pointer): string {
  return `${pointer.type}(${pointer.namespace}/${pointer.id})`;
}
