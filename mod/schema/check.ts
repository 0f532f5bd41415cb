import type { RecordShape, Shape } from "./shape.ts";
import { describe } from "./scalar.ts";

/** A value that does not have its shape; `path` names the place as `routes[2].gateway`. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  constructor(readonly path: string, readonly problem: string) {
    super(path === "" ? problem : `${path}: ${problem}`);
  }
}

/**
 * Checks that a value has the form of `shape`: every field there, of its type, nothing else.
 * @throws {ValidationError} at the first place that is wrong.
 */
export function checkRecord(shape: RecordShape, value: unknown, path = ""): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ValidationError(path, `expected a mapping, found ${describe(value)}`);
  }
  const from = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(shape.fields, key)) throw new ValidationError(join(path, key), "no such field");
  }
  for (const [key, field] of Object.entries(shape.fields)) {
    const member = from[key];
    if (member === undefined) {
      if (field.optional) continue;
      throw new ValidationError(join(path, key), "must be present");
    }
    checkValue(field.shape, member, join(path, key));
  }
}

function checkValue(shape: Shape, value: unknown, path: string): void {
  switch (shape.kind) {
    case "scalar":
      try {
        if (shape.isZero(value)) return;
        if (typeof shape.parse(shape.format(value)) !== typeof value) throw new TypeError(); // 5 is no text
      } catch (cause) {
        throw new ValidationError(path, cause instanceof SyntaxError ? cause.message : `expected ${shape.expected}`);
      }
      return;
    case "record":
      return checkRecord(shape, value, path);
    case "list":
      if (!Array.isArray(value)) throw new ValidationError(path, `expected a list, found ${describe(value)}`);
      value.forEach((item, index) => checkValue(shape.item, item, `${path}[${index}]`));
      return;
    case "map":
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new ValidationError(path, `expected a mapping, found ${describe(value)}`);
      }
      for (const [key, item] of Object.entries(value)) checkValue(shape.value, item, join(path, key));
      return;
    case "any":
      return;
  }
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
