import type { Pointer, TextMap } from "./metadata.ts";
import { changeMetadata } from "./metadata_edit.ts";
import { updateWithConflicts } from "./operations.ts";
import { makeResource, OpaqueSpec, type Resource } from "./resource.ts";
import type { State, UpdateOptions } from "./state.ts";
import { textMap } from "./text_map.ts";
import { isTransactional } from "./transaction.ts";

/** What changes; what is not named stays. */
export interface ResourcePatch {
  /** A merge patch (RFC 7386): records member by member, null takes a member away, all else is replaced. */
  readonly spec?: unknown;
  /** Null takes a label away. */
  readonly labels?: ReadonlyMap<string, string | null>;
  readonly annotations?: ReadonlyMap<string, string | null>;
}

/**
 * Changes parts of an object in one step, whatever its version (clause 9.17). A patch that changes nothing writes
 * nothing. @throws {NotFoundError} {@link ConflictError} {@link TypeError} for a spec that is opaque.
 */
export async function patchResource(
  state: State,
  pointer: Pointer,
  patch: ResourcePatch,
  options: UpdateOptions = {},
): Promise<Resource> {
  if (!isTransactional(state)) return await updateWithConflicts(state, pointer, (old) => patched(old, patch), options);
  return await state.transact((transaction) =>
    // Without an object `get` throws, so a patch never creates one.
    transaction.modify(pointer, (old) => patched(old ?? transaction.get(pointer), patch), options)
  );
}

function patched({ metadata, spec }: Resource, patch: ResourcePatch): Resource {
  const { labels, annotations } = patch;
  if (patch.spec !== undefined && spec instanceof OpaqueSpec) {
    throw new TypeError(`Cannot patch ${metadata.type}: its spec is of an unknown type`);
  }
  const fields = {
    ...(labels === undefined ? {} : { labels: patchedText(metadata.labels, labels) }),
    ...(annotations === undefined ? {} : { annotations: patchedText(metadata.annotations, annotations) }),
  };
  return makeResource(changeMetadata(metadata, fields), patch.spec === undefined ? spec : mergePatch(spec, patch.spec));
}

function patchedText(map: TextMap, patch: ReadonlyMap<string, string | null>): TextMap {
  const merged = new Map(map);
  for (const [key, value] of patch) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return textMap(merged);
}

/** RFC 7386; keys such as `__proto__` are keys like any other. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map<string, unknown>(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  const proto: unknown = isRecord(target) ? Object.getPrototypeOf(target) : Object.prototype;
  if (proto !== null) return Object.fromEntries(merged);
  return Object.assign(Object.create(null), Object.fromEntries(merged));
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
