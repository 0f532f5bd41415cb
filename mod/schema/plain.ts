import type { RecordShape, Shape } from "./shape.ts";

/** What stands in place of a secret. */
export const REDACTED = "******";

/** How a value is shown. */
export interface PlainOptions {
  /** Put `******` where a field is secret, or what the function makes of the value. */
  readonly redact?: boolean | ((secret: unknown) => string);
}

/** A record as plain data in the order of its fields: what YAML and JSON show. */
export function toPlain(shape: RecordShape, value: unknown, options: PlainOptions = {}): Record<string, unknown> {
  const from = value as Readonly<Record<string, unknown>>;
  const plain: Record<string, unknown> = {};
  for (const key in shape.fields) {
    const field = shape.fields[key];
    const member = from[key];
    if (field === undefined || member === undefined) continue;
    if (field.omitEmpty && !field.optional && isEmpty(field.shape, member)) continue;
    if (field.secret && options.redact && !isEmpty(field.shape, member)) plain[key] = redacted(member, options.redact);
    else plain[key] = valueToPlain(field.shape, member, options);
  }
  return plain;
}

function redacted(secret: unknown, redact: true | ((secret: unknown) => string)): string {
  return redact === true ? REDACTED : redact(secret);
}

function valueToPlain(shape: Shape, value: unknown, options: PlainOptions): unknown {
  switch (shape.kind) {
    case "scalar":
      return shape.format(value);
    case "record":
      return toPlain(shape, value, options);
    case "list":
      return (value as readonly unknown[]).map((item) => valueToPlain(shape.item, item, options));
    case "map": {
      const plain: Record<string, unknown> = Object.create(null);
      const from = value as Readonly<Record<string, unknown>>;
      for (const key of Object.keys(from).sort()) plain[key] = valueToPlain(shape.value, from[key], options);
      return plain;
    }
    case "any":
      return value;
  }
}

/** Whether a value is what an absent key would mean. */
export function isEmpty(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "scalar":
      return shape.isZero(value);
    case "list":
      return (value as readonly unknown[]).length === 0;
    case "map":
      return Object.keys(value as object).length === 0;
    case "record": {
      const from = value as Readonly<Record<string, unknown>>;
      return Object.entries(shape.fields).every(([key, field]) => {
        const member = from[key];
        return member === undefined || (!field.optional && isEmpty(field.shape, member));
      });
    }
    case "any":
      return value === null || value === undefined;
  }
}
