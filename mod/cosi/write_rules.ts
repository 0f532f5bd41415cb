import {
  ConflictError,
  NotFoundError,
  OwnerConflictError,
  PhaseConflictError,
  VersionConflictError,
} from "./errors.ts";
import type { Metadata, Phase, Pointer } from "./metadata.ts";
import { formatVersion, makeMetadata } from "./metadata_edit.ts";
import { makeResource, type Resource } from "./resource.ts";
import type { UpdateOptions } from "./state.ts";
import { timestampNow } from "./timestamp.ts";

/**
 * Version 1 of a new object, whatever version was passed (clauses 1.7, 2.9).
 * @throws {TypeError} when it carries another owner. {@link ConflictError} when there is one already.
 */
export function createdVersion(current: Resource | undefined, resource: Resource, owner: string): Resource {
  const { metadata } = resource;
  if (metadata.owner !== "" && metadata.owner !== owner) {
    throw new TypeError(
      `Cannot create ${metadata.type}(${metadata.namespace}/${metadata.id}): owner is already set to "${metadata.owner}"`,
    );
  }
  if (current !== undefined) throw new ConflictError(metadata, "exists", "it already exists");
  const now = timestampNow();
  return makeResource(stamp(metadata, 1n, owner, now, now), resource.spec);
}

/**
 * The next version of an object; checks in the order of clause 2.10.
 * @throws {NotFoundError} {@link OwnerConflictError} {@link VersionConflictError} {@link PhaseConflictError}
 */
export function updatedVersion(
  current: Resource | undefined,
  resource: Resource,
  { owner = "", expectedPhase = "running" }: UpdateOptions,
): Resource {
  const { metadata } = resource;
  const old = ownedVersion(current, metadata, owner).metadata;
  if (old.version !== metadata.version || old.version === undefined) {
    throw new VersionConflictError(metadata, formatVersion(metadata.version), formatVersion(old.version));
  }
  checkPhase(old, expectedPhase);
  return makeResource(stamp(metadata, old.version + 1n, owner, old.created, timestampNow()), resource.spec);
}

/** What is stored, which must be of this owner. @throws {NotFoundError} {@link OwnerConflictError} */
export function ownedVersion(current: Resource | undefined, pointer: Pointer, owner: string): Resource {
  if (current === undefined) throw new NotFoundError(pointer);
  if (current.metadata.owner !== owner) throw new OwnerConflictError(pointer, current.metadata.owner);
  return current;
}

/** What is stored and may be destroyed (clause 2.12). @throws {NotFoundError} {@link ConflictError} */
export function destroyedVersion(current: Resource | undefined, pointer: Pointer, owner: string): Resource {
  const stored = ownedVersion(current, pointer, owner);
  const { finalizers } = stored.metadata;
  if (finalizers.length > 0) {
    throw new ConflictError(pointer, "finalizers", `it is still held by ${finalizers.join(", ")}`);
  }
  return stored;
}

/** @throws {PhaseConflictError} */
export function checkPhase(stored: Metadata, expected: Phase | "any"): void {
  if (expected !== "any" && stored.phase !== expected) throw new PhaseConflictError(stored, expected);
}

function stamp(
  metadata: Metadata,
  version: bigint,
  owner: string,
  created: Metadata["created"],
  updated: Metadata["updated"],
): Metadata {
  const { namespace, type, id, phase, labels, annotations, finalizers } = metadata;
  return makeMetadata(namespace, type, id, version, owner, phase, created, updated, labels, annotations, finalizers);
}
