/** Keys and texts made of these stand for themselves, as far as the other rules let them. */
const PLAIN_TEXT = /^[A-Za-z0-9_/.][\w./:@%+,=()<> -]*$/;
/** What may be another number than a short decimal one. */
const NUMBER_LIKE = /^[-+.]|^\d[\d_.]*(?:[eE][-+]?\d+)?$|^0[xob]/;
const DIGITS = /^\d{1,15}$/;
const WORDS = new Set(["null", "true", "false"]);
/**
 * What readers of YAML 1.1 take for something else than text: words for yes and no, times, and numbers to base 60, such
 * as a hardware address without letters.
 */
const WORD_IN_1_1 = /^(?:y|yes|n|no|on|off)$/i;
const NUMBER_IN_1_1 = /^(?:[-+]?\d[\d_]*(?::[0-5]?\d)+|\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?)$/;
const LONGEST_KEY = 100;

type IsPlain = (text: string) => boolean;

/** Whether a text stands for itself in YAML, without quotes; false when in doubt. */
export function isPlainText(text: string): boolean {
  return PLAIN_TEXT.test(text) && !NUMBER_LIKE.test(text) && !text.includes(": ") && !/[: ]$/.test(text) &&
    !WORDS.has(text.toLowerCase());
}

/**
 * Plain data as YAML in blocks with four spaces a level, or undefined when it takes more than keys, lists and texts
 * without escapes: then a YAML library has to do it, with the same result, at twenty times the cost.
 * @param indent of the first level. @param nothing what null is shown as, such as `null` or nothing at all.
 * @param isPlain which texts go without quotes; unless said, those that readers of YAML 1.1 take for texts too.
 */
export function yamlText(
  plain: unknown,
  indent: string,
  nothing: string,
  isPlain: IsPlain = isPlainAnywhere,
): string | undefined {
  if (Array.isArray(plain)) return plain.length === 0 ? undefined : listText(plain, indent, nothing, isPlain);
  if (typeof plain !== "object" || plain === null) return undefined;
  const text = mappingText(plain, indent, nothing, isPlain);
  return text === "" ? undefined : text;
}

function mappingText(mapping: object, indent: string, nothing: string, isPlain: IsPlain): string | undefined {
  let text = "";
  if (mapping instanceof Map) {
    for (const [key, value] of mapping) {
      const entry = typeof key === "string" ? entryText(key, value, indent, nothing, isPlain) : undefined;
      if (entry === undefined) return undefined;
      text += entry;
    }
    return text;
  }
  const prototype = Object.getPrototypeOf(mapping);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  for (const key of Object.keys(mapping)) {
    const value = (mapping as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    const entry = entryText(key, value, indent, nothing, isPlain);
    if (entry === undefined) return undefined;
    text += entry;
  }
  return text;
}

function entryText(key: string, value: unknown, indent: string, nothing: string, isPlain: IsPlain): string | undefined {
  if (key.length > LONGEST_KEY || !isPlain(key)) return undefined;
  const scalar = scalarText(value, nothing, isPlain);
  if (scalar !== undefined) return scalar === "" ? `${indent}${key}:\n` : `${indent}${key}: ${scalar}\n`;
  const below = yamlText(value, `${indent}    `, nothing, isPlain);
  return below === undefined ? undefined : `${indent}${key}:\n${below}`;
}

function listText(list: readonly unknown[], indent: string, nothing: string, isPlain: IsPlain): string | undefined {
  let text = "";
  for (const item of list) {
    const scalar = scalarText(item, nothing, isPlain);
    if (scalar === undefined && (typeof item !== "object" || Array.isArray(item))) return undefined;
    const body = scalar === undefined
      ? yamlText(item, `${indent}  `, nothing, isPlain)?.slice(indent.length + 2)
      : `${scalar}\n`;
    if (body === undefined || scalar === "") return undefined;
    text += `${indent}- ${body}`;
  }
  return text;
}

/** One line, or undefined when the value is no scalar or needs escapes. */
function scalarText(value: unknown, nothing: string, isPlain: IsPlain): string | undefined {
  switch (typeof value) {
    case "string":
      if (value === "") return '""';
      if (DIGITS.test(value)) return `"${value}"`;
      return isPlain(value) ? value : undefined;
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return nothing;
      if (Array.isArray(value)) return value.length === 0 ? "[]" : undefined;
      return isEmptyMapping(value) ? "{}" : undefined;
    default:
      return undefined;
  }
}

/** Whether it is text to readers of YAML 1.1 too. */
function isPlainAnywhere(text: string): boolean {
  return isPlainText(text) && !WORD_IN_1_1.test(text) && !NUMBER_IN_1_1.test(text);
}

function isEmptyMapping(value: object): boolean {
  if (value instanceof Map) return value.size === 0;
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Object.keys(value)) {
    if ((value as Readonly<Record<string, unknown>>)[key] !== undefined) return false;
  }
  return true;
}
