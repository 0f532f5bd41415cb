import type { Kind, Metadata, Phase, Pointer, TextMap, Timestamp } from "./metadata.ts";
import { isTextMapEqual, textMap } from "./text_map.ts";
import { EPOCH, timestampNow } from "./timestamp.ts";

/** What may differ from the metadata of a new, unowned, running object. */
export interface MetadataFields {
  readonly version?: bigint | undefined;
  readonly owner?: string;
  readonly phase?: Phase;
  readonly created?: Timestamp;
  readonly updated?: Timestamp;
  readonly labels?: TextMap;
  readonly annotations?: TextMap;
  readonly finalizers?: readonly string[];
}

const NO_FINALIZERS: readonly string[] = Object.freeze([]);

/** A frozen list without duplicates. */
export function finalizerList(names: readonly string[]): readonly string[] {
  if (names.length === 0) return NO_FINALIZERS;
  const unique = names.length === 1 || new Set(names).size === names.length;
  return unique && Object.isFrozen(names) ? names : Object.freeze([...new Set(names)]);
}

/** All fields in one call, so that every metadata object has one hidden class. */
export function makeMetadata(
  namespace: string,
  type: string,
  id: string,
  version: bigint | undefined,
  owner: string,
  phase: Phase,
  created: Timestamp,
  updated: Timestamp,
  labels: TextMap,
  annotations: TextMap,
  finalizers: readonly string[],
): Metadata {
  return Object.freeze({
    namespace,
    type,
    id,
    version,
    owner,
    phase,
    created,
    updated,
    labels: textMap(labels),
    annotations: textMap(annotations),
    finalizers: finalizerList(finalizers),
  });
}

/** Metadata of an object that is not stored yet (clause 1.5). */
export function newMetadata(pointer: Pointer, fields: MetadataFields = {}): Metadata {
  const now = fields.created ?? timestampNow();
  return makeMetadata(
    pointer.namespace,
    pointer.type,
    pointer.id,
    fields.version,
    fields.owner ?? "",
    fields.phase ?? "running",
    now,
    fields.updated ?? now,
    textMap(fields.labels),
    textMap(fields.annotations),
    finalizerList(fields.finalizers ?? NO_FINALIZERS),
  );
}

/** The metadata with some fields replaced; the identity stays. */
export function changeMetadata(metadata: Metadata, fields: MetadataFields): Metadata {
  return makeMetadata(
    metadata.namespace,
    metadata.type,
    metadata.id,
    "version" in fields ? fields.version : metadata.version,
    fields.owner ?? metadata.owner,
    fields.phase ?? metadata.phase,
    fields.created ?? metadata.created,
    fields.updated ?? metadata.updated,
    fields.labels ?? metadata.labels,
    fields.annotations ?? metadata.annotations,
    fields.finalizers ?? metadata.finalizers,
  );
}

/** Metadata that names a place without an object (clause 1.23). */
export function tombstoneMetadata(kind: Kind, id: string): Metadata {
  return newMetadata({ namespace: kind.namespace, type: kind.type, id }, { created: EPOCH });
}

/** The metadata with a finalizer more; itself when it is there already. */
export function withFinalizer(metadata: Metadata, name: string): Metadata {
  if (metadata.finalizers.includes(name)) return metadata;
  return changeMetadata(metadata, { finalizers: [...metadata.finalizers, name] });
}

/** The metadata without a finalizer; itself when it is not there. */
export function withoutFinalizer(metadata: Metadata, name: string): Metadata {
  if (!metadata.finalizers.includes(name)) return metadata;
  return changeMetadata(metadata, { finalizers: metadata.finalizers.filter((other) => other !== name) });
}

/** Whether an object is not a later version of the one before but was made anew after that had gone. */
export function isAnotherLife(before: Metadata, now: Metadata): boolean {
  return before.created.seconds !== now.created.seconds || before.created.nanos !== now.created.nanos ||
    (now.version ?? 0n) < (before.version ?? 0n);
}

/** Equality of clause 1.14: everything but the times; finalizers as a set. */
export function isMetadataEqual(a: Metadata, b: Metadata): boolean {
  return a === b ||
    a.id === b.id && a.type === b.type && a.namespace === b.namespace && a.version === b.version &&
      a.phase === b.phase && a.owner === b.owner && isTextMapEqual(a.labels, b.labels) &&
      isTextMapEqual(a.annotations, b.annotations) && isSameSet(a.finalizers, b.finalizers);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a === b || a.length === b.length && a.every((name) => b.includes(name));
}

/** `undefined`, or the number (clause 1.6). */
export function formatVersion(version: bigint | undefined): string {
  return version === undefined ? "undefined" : String(version);
}

/** `type(namespace/id@version)` (clause 1.2). */
export function metadataText({ namespace, type, id, version }: Metadata): string {
  return `${type}(${namespace}/${id}@${formatVersion(version)})`;
}

/** @throws {SyntaxError} unless it is `undefined` or an unsigned 64-bit number in base 10. */
export function parseVersion(text: string): bigint | undefined {
  if (text === "undefined") return undefined;
  if (/^\d{1,20}$/.test(text)) {
    const version = BigInt(text);
    if (version < 1n << 64n) return version;
  }
  throw new SyntaxError(`Cannot read version "${text}": it is neither "undefined" nor a number`);
}

/** @throws {SyntaxError} for another word (clause 1.4). */
export function parsePhase(text: string): Phase {
  if (text === "running" || text === "tearingDown") return text;
  throw new SyntaxError(`Cannot read phase "${text}": it is neither "running" nor "tearingDown"`);
}
