import type { Kind, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions } from "./state.ts";

/** A state that answers within the call, for users in the same process. Errors and rules as in {@link State}. */
export interface SyncState extends State {
  /** The object, or undefined when it is not there. */
  findNow(namespace: string, type: string, id: string): Resource | undefined;
  /** @throws {NotFoundError} */
  getNow(pointer: Pointer): Resource;
  listNow(kind: Kind, query?: Query): readonly Resource[];
  createNow(resource: Resource, options?: OwnerOption): Resource;
  updateNow(resource: Resource, options?: UpdateOptions): Resource;
  destroyNow(pointer: Pointer, options?: OwnerOption): void;
  teardownNow(pointer: Pointer, options?: OwnerOption): boolean;
  /** `modify` of clause 2.18 as one step: nobody comes in between. */
  modifyNow(
    pointer: Pointer,
    change: (current: Resource | undefined) => Resource,
    options?: UpdateOptions,
  ): Resource;
}

export function isSyncState(state: State): state is SyncState {
  return "modifyNow" in state;
}
