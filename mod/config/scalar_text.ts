import type { Scalar as ScalarNode } from "yaml";

const NULLS = new Set(["", "~", "null", "Null", "NULL"]);
const BOOLEANS = new Map<string, boolean>([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
/** Words that only a key that must be a boolean takes for one, quoted or not. */
const BOOLEAN_WORDS = new Map<string, boolean>([
  ...BOOLEANS,
  ...["y", "Y", "yes", "on"].map((word) => [word, true] as const),
  ...["n", "N", "no", "off"].map((word) => [word, false] as const),
]);
const SPECIAL_NUMBERS = new Map([[".inf", Infinity], ["+.inf", Infinity], ["-.inf", -Infinity], [".nan", NaN]]);
const DECIMAL = /^[-+]?[0-9][0-9_]*$/;
const PREFIXED = /^([-+]?)0([xob])([0-9a-f_]+)$/i;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/** The text of a scalar: its source when plain, its content when quoted or a block. */
export function textOf(node: ScalarNode): string {
  return typeof node.value === "string" ? node.value : node.source ?? "";
}

/** Whether a scalar stands for nothing: empty, `~` or `null`, unquoted. */
export function isNull(node: ScalarNode): boolean {
  return node.type === "PLAIN" && NULLS.has(textOf(node));
}

/** The boolean a scalar says where a boolean is wanted, or its text. */
export function booleanOf(node: ScalarNode): unknown {
  const text = textOf(node);
  return BOOLEAN_WORDS.get(text) ?? text;
}

/** What a scalar means where any YAML may stand: null, boolean, number or text. */
export function plainOf(node: ScalarNode): unknown {
  const text = textOf(node);
  if (node.type !== "PLAIN") return text;
  if (NULLS.has(text)) return null;
  return BOOLEANS.get(text) ?? numberOf(text) ?? text;
}

/** Numbers of YAML 1.2, and of 1.1 the leading zero for octal and `_` between digits, which file modes are written in. */
function numberOf(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const digits = text.replaceAll("_", "");
    return /^[-+]?0[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number(digits);
  }
  const prefixed = PREFIXED.exec(text);
  if (prefixed !== null) {
    const [, sign, base, digits = ""] = prefixed;
    const value = Number(`0${base?.toLowerCase()}${digits.replaceAll("_", "")}`);
    return Number.isNaN(value) ? undefined : sign === "-" ? -value : value;
  }
  return FLOAT.test(text) ? Number(text) : SPECIAL_NUMBERS.get(text.toLowerCase());
}
