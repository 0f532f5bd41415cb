import type { Resource } from "./resource.ts";
import { compareText } from "./text_order.ts";

/** The place of one object; it outlives the object's versions. */
export interface Cell {
  readonly id: string;
  /** The current version; undefined once destroyed. */
  resource: Resource | undefined;
  /** Position of the event that made the current version. */
  position: number;
}

/** Order of ids that compare as JavaScript compares them. */
export function comparePlain(a: Cell, b: Cell): number {
  return a.id < b.id ? -1 : 1;
}

/** Order of all ids. */
export function compareCells(a: Cell, b: Cell): number {
  return compareText(a.id, b.id);
}
