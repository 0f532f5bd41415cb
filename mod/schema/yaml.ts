import { stringify } from "yaml";
import { yamlText } from "./yaml_text.ts";

const OPTIONS = {
  indent: 4,
  lineWidth: 0,
  indentSeq: true,
  nullStr: "null",
  singleQuote: false,
  aliasDuplicateObjects: false, // specs share frozen parts; clients want each to be written out
} as const;

/**
 * What readers of YAML 1.1 take for something else than text: words for yes and no, times, numbers to base 60, such as
 * a hardware address without letters, or to base 2, and those with `_` between digits.
 */
const OTHERWISE_IN_1_1 =
  /[-:] (?:y|yes|n|no|on|off|<<|[-+]?\d[\d_]*(?::[0-5]?\d)+|\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?|[-+]?0b[01_]+|[-+]?\d[\d.]*_[\d_.]*)$/im;

/**
 * YAML text of plain data, in block style with four spaces a level, as Talos' own tools print it.
 * Long strings are not folded, so that tokens and keys stay whole.
 */
export function toYaml(plain: unknown): string {
  const quick = yamlText(plain, "", OPTIONS.nullStr);
  if (quick !== undefined) return quick;
  const text = stringify(plain, OPTIONS);
  return OTHERWISE_IN_1_1.test(text) ? stringify(plain, { ...OPTIONS, compat: "yaml-1.1" }) : text;
}
