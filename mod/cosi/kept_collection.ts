import type { Resource } from "./resource.ts";
import type { Change } from "./transaction.ts";

/** What a store kept of a collection. */
export interface KeptCollection {
  /** Events ever written. */
  readonly written: number;
  /** The last events, oldest first, without a gap. */
  readonly events: readonly (Change & { readonly position: number })[];
  readonly objects: Iterable<{ readonly resource: Resource; readonly position: number }>;
}
