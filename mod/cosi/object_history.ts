import type { Pointer } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { State } from "./state.ts";

/** One version of an object that once was: who wrote it and when is in its metadata (clause 9.24). */
export interface ObjectVersion {
  readonly change: "created" | "updated" | "destroyed";
  /** The object after the change; before it, when it was destroyed. */
  readonly resource: Resource;
}

/** A state that tells what became of an object. */
export interface HistoryState extends State {
  /** The last changes of an object, newest first, as far as history still holds them; it need not exist any more. */
  history(pointer: Pointer, limit: number): Promise<readonly ObjectVersion[]>;
}

export function hasHistory(state: State): state is HistoryState {
  return "history" in state;
}
