import { parse } from "@std/yaml";
import { isPlainText } from "../schema/mod.ts";

/**
 * The plain data of a spec's YAML text. Nodes write blocks of keys, items and one-line scalars; these are read here, a
 * good ten times faster than YAML at large, which matters for tables of many thousand routes. All else is left to the
 * YAML library, with the same result.
 * @throws {SyntaxError} not YAML.
 */
export function parseSpec(yaml: string): unknown {
  try {
    return new BlockReader(yaml).document();
  } catch (reason) {
    if (reason === BEYOND) return parse(yaml, { schema: "core" });
    throw reason;
  }
}

/** Thrown where a text is more than blocks of one-line scalars. Made once: an error's stack would cost more than it saves. */
const BEYOND: unique symbol = Symbol("YAML at large");

const KEY = /^(?:([A-Za-z_][\w./-]*)|("(?:[^"\\]|\\.)*"))(?::$|: +)/;
const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const WORDS: ReadonlyMap<string, null | boolean> = new Map([["null", null], ["true", true], ["false", false]]);

class BlockReader {
  readonly #lines: string[];
  #at = 0;

  constructor(yaml: string) {
    this.#lines = yaml.trimEnd().split("\n");
  }

  document(): unknown {
    const [first = ""] = this.#lines;
    if (this.#lines.length === 1 && !isItem(first) && !KEY.test(first)) return scalar(first);
    const value = this.#block(0);
    if (this.#at < this.#lines.length) throw BEYOND;
    return value;
  }

  /** The list or mapping whose lines begin at this column. */
  #block(column: number): unknown {
    return isItem(this.#rest(column)) ? this.#list(column) : this.#mapping(column);
  }

  #list(column: number): unknown[] {
    const list: unknown[] = [];
    for (let line = this.#rest(column); isItem(line); line = this.#rest(column)) {
      const text = line.slice(1).trimStart();
      if (isItem(text) || KEY.test(text)) {
        const inner = column + line.length - text.length;
        this.#lines[this.#at] = " ".repeat(inner) + text;
        list.push(this.#block(inner));
      } else {
        this.#at++;
        list.push(scalar(text));
      }
    }
    return list;
  }

  #mapping(column: number): Record<string, unknown> {
    const mapping: Record<string, unknown> = {};
    for (let line = this.#rest(column); line !== ""; line = this.#rest(column)) {
      const [head, plain, quoted] = KEY.exec(line) ?? [];
      if (head === undefined) throw BEYOND;
      const key = plain ?? String(doubleQuoted(quoted ?? ""));
      if (key === "__proto__" || WORDS.has(key.toLowerCase()) || Object.hasOwn(mapping, key)) throw BEYOND;
      this.#at++;
      mapping[key] = head.length < line.length ? scalar(line.slice(head.length)) : this.#below(column);
    }
    return mapping;
  }

  /** The value of a key with nothing behind it. */
  #below(column: number): unknown {
    const next = this.#lines[this.#at] ?? "";
    const indent = next.length - next.trimStart().length;
    if (indent > column) return this.#block(indent);
    return indent === column && isItem(next.slice(column)) ? this.#list(column) : null;
  }

  /** The current line from the column on, empty when it belongs to a block further out. */
  #rest(column: number): string {
    const line = this.#lines[this.#at];
    if (line === undefined) return "";
    const indent = line.length - line.trimStart().length;
    if (indent > column || indent === line.length || line.startsWith("---")) throw BEYOND;
    return indent < column ? "" : line.slice(column);
  }
}

function isItem(text: string): boolean {
  return text.startsWith("- ");
}

/** The value of one line. */
function scalar(text: string): unknown {
  const line = text.trimEnd();
  if (SHORT_INTEGER.test(line)) return line === "-0" ? -0 : Number(line);
  const [first] = line;
  if (first === '"') return doubleQuoted(line);
  if (line === "[]") return [];
  if (line === "{}") return {};
  const word = WORDS.get(line);
  if (word !== undefined) return word;
  if (!isPlainText(line)) throw BEYOND;
  return line;
}

/** Text in double quotes; its escapes are those of JSON, or beyond. */
function doubleQuoted(line: string): unknown {
  if (/^"[^"\\]*"$/.test(line)) return line.slice(1, -1);
  try {
    return JSON.parse(line);
  } catch {
    throw BEYOND; // YAML knows more escapes
  }
}
