import { deepFreeze, isEqual } from "../schema/mod.ts";
import type { ResourceDefinition } from "./definition.ts";
import type { Metadata } from "./metadata.ts";
import { isMetadataEqual, type MetadataFields, newMetadata } from "./metadata_edit.ts";

/**
 * Metadata and spec. Both are frozen plain data, shared by reference with every reader, watcher and history entry.
 * The spec of a type that this process does not know is an {@link OpaqueSpec}.
 */
export interface Resource<S = unknown> {
  readonly metadata: Metadata;
  readonly spec: S;
}

/** A spec of a type unknown here: its two encodings as they came, handed on byte for byte (clauses 1.22, 5.20). */
export class OpaqueSpec {
  constructor(
    /** Undefined when the sender left it out, which some receivers tell from empty (clause 5.22). */
    readonly proto: Uint8Array | undefined,
    readonly yaml: string,
  ) {}
}

/** Metadata and spec as one frozen object; the spec is frozen all the way down. */
export function makeResource<S>(metadata: Metadata, spec: S): Resource<S> {
  return Object.freeze({ metadata, spec: deepFreeze(spec) });
}

/** An object to create, in its type's default namespace unless said otherwise. */
export function newResource<S>(
  definition: ResourceDefinition<S>,
  id: string,
  spec: S,
  fields: MetadataFields & { readonly namespace?: string } = {},
): Resource<S> {
  const { type, namespace } = definition;
  return makeResource(newMetadata({ namespace: fields.namespace ?? namespace, type, id }, fields), spec);
}

/** The resource with another spec, for an update. */
export function withSpec<S>(resource: Resource<S>, spec: S): Resource<S> {
  return makeResource(resource.metadata, spec);
}

/** The resource with other metadata, for an update. */
export function withMetadata<S>(resource: Resource<S>, metadata: Metadata): Resource<S> {
  return metadata === resource.metadata ? resource : Object.freeze({ metadata, spec: resource.spec });
}

/** Equality that decides whether a write changes anything (clauses 1.14-1.16). */
export function isResourceEqual(a: Resource, b: Resource): boolean {
  return a === b || isMetadataEqual(a.metadata, b.metadata) && isEqual(a.spec, b.spec);
}
