/**
 * Resources, the state that holds them, and the controllers that converge the machine to them.
 * @module
 */
export {
  type Access,
  type Controller,
  type ControllerDeclaration,
  defineController,
  destroyReady,
  exclusive,
  type Input,
  type InputKind,
  type InputPlace,
  type ModifyOptions,
  type Output,
  type OutputKind,
  type Place,
  shared,
  strong,
  type WakeSource,
  type Wanted,
  weak,
} from "./controller.ts";
export {
  type AnyDefinition,
  defineResource,
  type PrintColumn,
  type ResourceDefinition,
  type SpecOf,
} from "./definition.ts";
export {
  AccessError,
  ConflictError,
  type ConflictReason,
  InvalidBookmarkError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  PhaseConflictError,
  UnsupportedError,
} from "./errors.ts";
export {
  type Kind,
  type Metadata,
  type Phase,
  type Pointer,
  pointerText,
  type TextMap,
  type Timestamp,
} from "./metadata.ts";
export type { LabelOperation, LabelQuery, LabelTerm, Query } from "./query.ts";
export { OpaqueSpec, type Resource } from "./resource.ts";
export type {
  EventType,
  OwnerOption,
  State,
  UpdateOptions,
  Watch,
  WatchEvent,
  WatchKindOptions,
  WatchOptions,
} from "./state.ts";
