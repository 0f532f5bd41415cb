import type { Operand, Operator, Part, Path, Step } from "./jsonpath.ts";

/**
 * The text that a template gives for a document of plain data. Values of one path are joined by a space, lists and
 * mappings are JSON; what is missing is empty.
 */
export function jsonPathText(parts: readonly Part[], root: unknown, current: unknown = root): string {
  return parts.map((part) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "path":
        return valuesAt(part, root, current).map(valueText).join(" ");
      case "range":
        return valuesAt(part.path, root, current).map((item) => jsonPathText(part.body, root, item)).join("");
    }
  }).join("");
}

/** The values that a path leads to; none when something on the way is missing. */
export function valuesAt({ fromRoot, steps }: Path, root: unknown, current: unknown): unknown[] {
  let values: unknown[] = [fromRoot ? root : current];
  for (const step of steps) values = values.flatMap((value) => after(step, value, root));
  return values;
}

function after(step: Step, value: unknown, root: unknown): unknown[] {
  switch (step.kind) {
    case "field":
      return fieldOf(value, step.name);
    case "fields":
      return step.names.flatMap((name) => fieldOf(value, name));
    case "wildcard":
      return children(value);
    case "descend":
      return [...descendants(value)];
    case "items":
      return Array.isArray(value) ? itemsOf(value, step.indexes) : [];
    case "slice":
      return Array.isArray(value)
        ? value.slice(step.from ?? 0, step.to ?? value.length).filter((_, at) => at % step.step === 0)
        : [];
    case "filter":
      return children(value).filter((item) => isKept(step.operator, step.left, step.right, root, item));
  }
}

function fieldOf(value: unknown, name: string): unknown[] {
  if (value instanceof Map) return value.has(name) ? [value.get(name)] : [];
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
  return [Reflect.get(value, name)];
}

function itemsOf(list: readonly unknown[], indexes: readonly number[]): unknown[] {
  const places = indexes.map((index) => index < 0 ? list.length + index : index);
  return places.filter((index) => index in list).map((index) => list[index]);
}

function children(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function* descendants(value: unknown): Generator<unknown> {
  yield value;
  for (const child of children(value)) yield* descendants(child);
}

function isKept(operator: Operator, left: Operand, right: Operand, root: unknown, item: unknown): boolean {
  const [found, ...others] = operandValues(left, root, item);
  if (operator === "exists") return found !== undefined && found !== null;
  const [wanted] = operandValues(right, root, item);
  if (others.length > 0 || found === undefined || wanted === undefined) return false;
  if (operator === "==") return isSame(found, wanted);
  if (operator === "!=") return !isSame(found, wanted);
  const order = compared(found, wanted);
  if (order === undefined) return false;
  return operator === "<" ? order < 0 : operator === ">" ? order > 0 : operator === "<=" ? order <= 0 : order >= 0;
}

function operandValues(operand: Operand, root: unknown, item: unknown): unknown[] {
  return operand.kind === "value" ? [operand.value] : valuesAt(operand, root, item);
}

/** Scalars by their text, so that `@.version=="3"` and `@.version==3` mean the same. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || valueText(a) === valueText(b);
}

/** Negative, 0 or positive; undefined when the two have no order. */
function compared(a: unknown, b: unknown): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return undefined;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
