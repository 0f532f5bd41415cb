/**
 * Resources, the state that holds them, and the controllers that converge the machine to them.
 * @module
 */
export type { Access, ModifyOptions, OwnedPlace, Place, QAccess, Wanted } from "./access.ts";
export {
  type CleanupDeclaration,
  type CleanupHandler,
  combine,
  defineCleanup,
  defineDestroy,
  type DestroyOptions,
  hasNoOutputs,
  removeOutputs,
} from "./cleanup.ts";
export { type Controller, type ControllerDeclaration, defineController, type WakeSource } from "./controller.ts";
export type { ControllerState, ControllerStatus } from "./controller_status.ts";
export { ControllerStatuses, type ControllerStatusSpec } from "./controller_statuses.ts";
export {
  type AnyDefinition,
  defineResource,
  type PrintColumn,
  type ResourceDefinition,
  type SpecOf,
} from "./definition.ts";
export {
  definitionSpec,
  META_NAMESPACE,
  META_OWNER,
  Namespaces,
  type NamespaceSpec,
  ResourceDefinitions,
  type ResourceDefinitionSpec,
} from "./definition_spec.ts";
export { decodeSpec, encodeSpec, plainMetadata, plainSpec, specYaml } from "./encoding.ts";
export { type AccessRule, FilteredState, isReadVerb, type Verb } from "./filtered_state.ts";
export { Backoff, type BackoffOptions, pause } from "./backoff.ts";
export { DefinitionRegistry, type NamespaceDeclaration, registerDefinitions } from "./registry.ts";
export { parseResourceYaml, type ReadResource, resourceYaml } from "./resource_yaml.ts";
export type { DependencyEdge, EdgeType } from "./dependencies.ts";
export {
  AccessError,
  ConflictError,
  type ConflictReason,
  InvalidBookmarkError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  PhaseConflictError,
  RegistrationError,
  UnsupportedError,
  VersionConflictError,
} from "./errors.ts";
export type { HistoryOptions } from "./history.ts";
export { hold } from "./hold.ts";
export {
  type AnyInput,
  destroyReady,
  exclusive,
  type Input,
  type InputKind,
  type InputPlace,
  type Output,
  type OutputKind,
  type QInput,
  type QInputKind,
  qMapped,
  qMappedDestroyReady,
  qPrimary,
  shared,
  strong,
  weak,
} from "./inputs.ts";
export type { RateLimit } from "./limited_state.ts";
export { listPage, type Page, type PagedState, type PageOptions } from "./list_page.ts";
export { MemoryState } from "./memory_state.ts";
export {
  type Kind,
  type Metadata,
  type Phase,
  type Pointer,
  pointerText,
  type TextMap,
  type Timestamp,
} from "./metadata.ts";
export {
  changeMetadata,
  formatVersion,
  isMetadataEqual,
  type MetadataFields,
  metadataText,
  newMetadata,
  parsePhase,
  parseVersion,
  withFinalizer,
  withoutFinalizer,
} from "./metadata_edit.ts";
export { NamespacedState } from "./namespaced_state.ts";
export { hasHistory, type HistoryState, type ObjectVersion } from "./object_history.ts";
export {
  addFinalizer,
  type EndingState,
  endStepByStep,
  modify,
  removeFinalizer,
  teardownAndDestroy,
  teardownSignal,
  updateWithConflicts,
  type WatchConditions,
  watchFor,
} from "./operations.ts";
export {
  defineQController,
  type PrimaryPointer,
  type QController,
  type QControllerDeclaration,
  type ReducedMetadata,
} from "./q_controller.ts";
export { type OwnedOptions, OwnedState } from "./owned_state.ts";
export { patchResource, type ResourcePatch } from "./patch.ts";
export { defineQTransform, mapLabelValue, type QMapped, type QTransformDeclaration } from "./q_transform.ts";
export type { LabelOperation, LabelQuery, LabelTerm, Query } from "./query.ts";
export { compileQuery, loadPatterns, type Match } from "./query_match.ts";
export {
  isResourceEqual,
  makeResource,
  newResource,
  OpaqueSpec,
  type Resource,
  withMetadata,
  withSpec,
} from "./resource.ts";
export { RequeueError, SkipReconcile } from "./requeue.ts";
export type { Log, LogLevel } from "./runner_host.ts";
export { Runtime, type RuntimeOptions } from "./runtime.ts";
export type { MetricName, RuntimeMetrics } from "./runtime_metrics.ts";
export { openSqliteState, type SqliteStateOptions } from "./sqlite_open.ts";
export { SqliteState } from "./sqlite_state.ts";
export { DamageError, StoreError, type StoreProblem } from "./store_error.ts";
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
export { isSyncState, type SyncState } from "./sync_state.ts";
export { isTransactional, type Transaction, type TransactionalState } from "./transaction.ts";
export {
  defineTransform,
  type Mapped,
  type TransformAccess,
  type TransformDeclaration,
  type TransformHookAccess,
} from "./transform.ts";
export { NO_TEXT, textMap, withoutText, withText } from "./text_map.ts";
export { compareText } from "./text_order.ts";
export { EPOCH, formatTimestamp, parseTimestamp, timestampNow, timestampOf } from "./timestamp.ts";
export type { WakeReason, WriteCause } from "./write_cause.ts";
export { type CausingObject, ExplainedState, writeCauseId, WriteCauses, type WriteCauseSpec } from "./write_causes.ts";
