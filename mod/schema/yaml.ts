import { stringify } from "yaml";

/**
 * YAML text of plain data, in block style with four spaces a level, as Talos' own tools print it.
 * Long strings are not folded, so that tokens and keys stay whole.
 */
export function toYaml(plain: unknown): string {
  return stringify(plain, { indent: 4, lineWidth: 0, indentSeq: true, nullStr: "null", singleQuote: false });
}
