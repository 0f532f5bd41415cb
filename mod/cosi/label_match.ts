import type { TextMap } from "./metadata.ts";
import type { LabelQuery, LabelTerm } from "./query.ts";
import { compareText } from "./text_order.ts";

/** Whether any query holds; none, or one without terms, holds always (clause 2.56). */
export function isLabelMatch(queries: readonly LabelQuery[], labels: TextMap): boolean {
  if (queries.length === 0) return true;
  for (const terms of queries) if (isEveryMatch(terms, labels)) return true;
  return false;
}

function isEveryMatch(terms: LabelQuery, labels: TextMap): boolean {
  for (const term of terms) if (!isTermMatch(term, labels)) return false;
  return true;
}

/** The truth table of clause 2.58. */
function isTermMatch(term: LabelTerm, labels: TextMap): boolean {
  const label = labels.get(term.key);
  if (term.op === "exists") return (label !== undefined) !== term.invert;
  const [wanted] = term.values;
  if (label === undefined) return (term.op === "equal" || term.op === "in") && term.invert;
  if (wanted === undefined) return term.invert;
  switch (term.op) {
    case "equal":
      return (label === wanted) !== term.invert;
    case "in":
      return term.values.includes(label) !== term.invert;
    case "lt":
      return (compareText(label, wanted) < 0) !== term.invert;
    case "lte":
      return (compareText(label, wanted) <= 0) !== term.invert;
  }
  const left = labelNumber(label), right = labelNumber(wanted);
  if (left === undefined || right === undefined) return false;
  return (term.op === "ltNumeric" ? left < right : left <= right) !== term.invert;
}

const NUMBER = /^([\d-]+)\s*(?:([kmgtp])(i?).*)?$/is;
const MAX = 2n ** 63n;

/** A number with an optional unit such as `10kg` or `1Gi`, or undefined when it is none (clause 2.59). */
export function labelNumber(text: string): bigint | undefined {
  const match = NUMBER.exec(text.trim());
  const digits = match?.[1];
  if (match === null || digits === undefined || !/^-?\d+$/.test(digits)) return undefined;
  const value = BigInt(digits);
  if (value >= MAX || value < -MAX) return undefined;
  const power = "kmgtp".indexOf((match[2] ?? "").toLowerCase());
  if (match[2] === undefined) return value;
  return value * (match[3] === "" ? 1000n : 1024n) ** BigInt(power + 1);
}
