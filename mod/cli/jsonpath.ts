/** A step from values to values below them. */
export type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  /** The value itself and all values below it. */
  | { readonly kind: "descend" }
  /** `[0,2]`; negative counts from the end. */
  | { readonly kind: "items"; readonly indexes: readonly number[] }
  | { readonly kind: "fields"; readonly names: readonly string[] }
  | { readonly kind: "slice"; readonly from?: number; readonly to?: number; readonly step: number }
  | { readonly kind: "filter"; readonly left: Operand; readonly operator: Operator; readonly right: Operand };

/** Comparison in a filter; `exists` looks at its left side only. */
export type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">" | "exists";

/** One side of a comparison. */
export type Operand = { readonly kind: "value"; readonly value: string | number | boolean | null } | Path;

/** Steps from the whole document (`$`) or from the current value (`@` or nothing). */
export interface Path {
  readonly kind: "path";
  readonly fromRoot: boolean;
  readonly steps: readonly Step[];
}

/** A piece of a template. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | Path
  | { readonly kind: "range"; readonly path: Path; readonly body: readonly Part[] };

/** A template that cannot be read. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
  readonly template: string;
  /** Characters before the problem. */
  readonly offset: number;

  constructor(template: string, offset: number, state: string) {
    super(`Cannot read the JSONPath "${template}": ${state} at character ${offset + 1}`);
    this.template = template;
    this.offset = offset;
  }
}

/**
 * Reads a template of the Kubernetes dialect: text with paths in braces, `{range PATH}…{end}`, quoted text in braces.
 * Without any brace the whole text is one path, whose leading dot may be left out.
 * @throws {JsonPathError}
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(template: string): Part[] {
  if (!template.includes("{") && template !== "") {
    const path = /^[$@.[]/.test(template) ? template : `.${template}`;
    return new Reader(`{${path}}`, template, path.length - template.length + 1).template();
  }
  return new Reader(template, template, 0).template();
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const OPERATORS: readonly Operator[] = ["==", "!=", "<=", ">=", "<", ">"];
/** What ends a field's name unless escaped. */
const NAME_END = /[\s.[\](){}|=!<>,"'@$*]/;

class Reader {
  readonly #text: string;
  /** What errors show: it may be shorter than what is read, by `shift` characters before it. */
  readonly #shown: string;
  readonly #shift: number;
  #at = 0;

  constructor(text: string, shown: string, shift: number) {
    this.#text = text;
    this.#shown = shown;
    this.#shift = shift;
  }

  /** All parts to the end of the text. */
  template(): Part[] {
    const parts: Part[] = [];
    const open: { parts: Part[]; path: Path; at: number }[] = [];
    const into = () => open.at(-1)?.parts ?? parts;
    while (this.#at < this.#text.length) {
      const brace = this.#text.indexOf("{", this.#at);
      const end = brace === -1 ? this.#text.length : brace;
      if (end > this.#at) into().push({ kind: "text", text: this.#text.slice(this.#at, end) });
      this.#at = end + 1;
      if (brace === -1) break;
      for (this.#space(); !this.#take("}"); this.#space()) {
        const at = this.#at;
        if (this.#peek() === '"' || this.#peek() === "'") into().push({ kind: "text", text: this.#quoted() });
        else if (this.#word("range")) open.push({ parts: [], path: this.#path(), at });
        else if (this.#word("end")) {
          const { parts: body, path } = open.pop() ?? this.#fail('"end" without "range"', at);
          into().push({ kind: "range", path, body });
        } else into().push(this.#path());
      }
    }
    const unclosed = open.pop();
    if (unclosed !== undefined) this.#fail('"range" without "end"', unclosed.at);
    return parts;
  }

  /** Steps as long as there are any. At least a dot, `$` or `@` is needed. */
  #path(): Path {
    this.#space();
    const start = this.#at;
    const fromRoot = this.#take("$");
    if (!fromRoot) this.#take("@");
    const steps: Step[] = [];
    for (this.#space(); this.#peek() === "." || this.#peek() === "["; this.#space()) {
      if (this.#take("[")) steps.push(this.#bracket());
      else steps.push(...this.#dotted());
    }
    if (this.#at === start) this.#fail(this.#peek() === "" ? '"}" is missing' : "expected a path such as .spec", start);
    return { kind: "path", fromRoot, steps };
  }

  /** What begins with a dot; a dot alone is the value itself. */
  #dotted(): Step[] {
    this.#at++;
    const descend: Step[] = this.#take(".") ? [{ kind: "descend" }] : [];
    if (this.#take("*")) return [...descend, { kind: "wildcard" }];
    const name = this.#name();
    if (name !== "") return [...descend, { kind: "field", name }];
    if (descend.length > 0 && this.#peek() !== "[") this.#fail('expected a name after ".."', this.#at);
    return descend;
  }

  #name(): string {
    let name = "";
    for (let next = this.#peek(); next !== "" && !NAME_END.test(next); next = this.#peek()) {
      this.#at++;
      name += next === "\\" ? this.#text[this.#at++] ?? "" : next;
    }
    return name;
  }

  /** What stands in brackets, the closing one included. */
  #bracket(): Step {
    this.#space();
    if (this.#take("*")) return this.#closed({ kind: "wildcard" });
    if (this.#take("?")) return this.#filter();
    if (this.#peek() === "'" || this.#peek() === '"') {
      const names = this.#listOf(() => this.#quoted());
      return this.#closed(names.length === 1 ? { kind: "field", name: names[0] ?? "" } : { kind: "fields", names });
    }
    const at = this.#at;
    const match = this.#match(/^[-\d\s:,]*/);
    if (match.includes(":")) return this.#closed(this.#slice(match, at));
    const indexes = match.split(",").map((text) => this.#integer(text, at));
    return this.#closed({ kind: "items", indexes });
  }

  #slice(text: string, at: number): Step {
    const [from = "", to = "", step = "", ...more] = text.split(":").map((bound) => bound.trim());
    if (more.length > 0) this.#fail("a slice has at most three numbers", at);
    const slice = { kind: "slice", step: step === "" ? 1 : this.#integer(step, at) } as const;
    if (slice.step < 1) this.#fail("the step of a slice must be 1 or more", at);
    return {
      ...slice,
      ...(from !== "" && { from: this.#integer(from, at) }),
      ...(to !== "" && { to: this.#integer(to, at) }),
    };
  }

  #integer(text: string, at: number): number {
    if (!/^-?\d+$/.test(text.trim())) this.#fail('expected a number, a quoted name, "*" or "?(…)"', at);
    return Number(text);
  }

  #filter(): Step {
    this.#expect("(");
    const left = this.#operand();
    this.#space();
    const operator = OPERATORS.find((text) => this.#take(text)) ?? "exists";
    const right: Operand = operator === "exists" ? { kind: "value", value: null } : this.#operand();
    this.#space();
    this.#expect(")");
    return this.#closed({ kind: "filter", left, operator, right });
  }

  #operand(): Operand {
    this.#space();
    const next = this.#peek();
    if (next === "'" || next === '"') return { kind: "value", value: this.#quoted() };
    const literal = this.#match(/^(?:-?\d+(?:\.\d+)?|true\b|false\b|null\b)/);
    return literal === "" ? this.#path() : { kind: "value", value: JSON.parse(literal) };
  }

  /** Text in single or double quotes with `\n`, `\t`, `\r`; any other escaped character is itself. */
  #quoted(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++];
    let text = "";
    for (let next = this.#text[this.#at++]; next !== quote; next = this.#text[this.#at++]) {
      if (next === undefined) this.#fail("the quote is not closed", start);
      else if (next === "\\") {
        const escaped = this.#text[this.#at++] ?? "";
        text += ESCAPES[escaped] ?? escaped;
      } else text += next;
    }
    return text;
  }

  #listOf<T>(read: () => T): T[] {
    const list: T[] = [];
    do {
      this.#space();
      list.push(read());
      this.#space();
    } while (this.#take(","));
    return list;
  }

  #closed(step: Step): Step {
    this.#space();
    this.#expect("]");
    return step;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #take(text: string): boolean {
    const isThere = this.#text.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #word(word: string): boolean {
    return new RegExp(`^${word}(?=[\\s}.$@[])`).test(this.#text.slice(this.#at)) && this.#take(word);
  }

  #match(pattern: RegExp): string {
    const [found = ""] = pattern.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += found.length;
    return found;
  }

  #space(): void {
    while (/\s/.test(this.#peek())) this.#at++;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail(`expected "${text}"`, this.#at);
  }

  #fail(state: string, at: number): never {
    throw new JsonPathError(this.#shown, Math.min(Math.max(0, at - this.#shift), this.#shown.length), state);
  }
}
