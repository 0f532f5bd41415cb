import { isEqual } from "./equal.ts";
import { isEmpty } from "./plain.ts";
import type { ListShape, RecordShape, Shape } from "./shape.ts";

/**
 * `base` with what `patch` sets: records and maps key by key, lists appended, or matched by the key fields of their
 * shape, or put in place of the old one where the shape says so; anything else is replaced. Neither is changed.
 */
export function mergeRecord(shape: RecordShape, base: object, patch: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, member] of Object.entries(patch)) {
    const field = shape.fields[name];
    if (field === undefined || member === undefined) continue;
    if (!field.optional && isEmpty(field.shape, member)) continue; // a zero that stands for a key left out
    merged[name] = mergeValue(field.shape, merged[name], member);
  }
  return merged;
}

function mergeValue(shape: Shape, base: unknown, patch: unknown): unknown {
  if (base === undefined) return patch;
  switch (shape.kind) {
    case "scalar":
      return patch;
    case "record":
      return mergeRecord(shape, base as object, patch as object);
    case "list":
      return mergeList(shape, base as readonly unknown[], patch as readonly unknown[]);
    case "map":
      return mergeMap(base, patch, (old, now) => mergeValue(shape.value, old, now));
    case "any":
      return shape.patch === "replace" ? patch : mergeAny(base, patch);
  }
}

function mergeList(shape: ListShape, base: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  if (shape.patch === "replace") return patch;
  const merged = [...base];
  for (const item of patch) {
    const at = shape.key === undefined ? -1 : merged.findIndex((other) => isSameItem(shape.key ?? [], other, item));
    if (at < 0) merged.push(item);
    else merged[at] = mergeValue(shape.item, merged[at], item);
  }
  return merged;
}

function isSameItem(key: readonly string[], a: unknown, b: unknown): boolean {
  const left = a as Readonly<Record<string, unknown>>, right = b as Readonly<Record<string, unknown>>;
  return key.some((name) => right[name] !== undefined) && key.every((name) => isEqual(left[name], right[name]));
}

function mergeMap(base: unknown, patch: unknown, merge: (old: unknown, now: unknown) => unknown): object {
  const merged: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(base as object)) merged[name] = member;
  for (const [name, member] of Object.entries(patch as object)) {
    merged[name] = name in merged ? merge(merged[name], member) : member;
  }
  return merged;
}

function mergeAny(base: unknown, patch: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(patch)) return [...base, ...patch];
  return isMapping(base) && isMapping(patch) ? mergeMap(base, patch, mergeAny) : patch;
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
