/** Names an expression may use: a variable's fields, or `any` when they are not checked. */
export interface CelEnvironment {
  /** Whether names that are not listed are refused. */
  readonly closed: boolean;
  readonly variables: ReadonlyMap<string, ReadonlySet<string> | "any">;
}

/** Why a text is no expression; `offset` is where, from 0. */
export interface CelProblem {
  readonly offset: number;
  readonly message: string;
}

const MAX_LENGTH = 16_384;
const MAX_DEPTH = 200;

const TOKEN = new RegExp(
  [
    String.raw`(?<space>\s+|//[^\n]*)`,
    String.raw`(?<number>0x[0-9a-fA-F]+u?|\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?|\d+[uU]?)`,
    String.raw`(?<text>[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))`,
    String.raw`(?<name>[_a-zA-Z][_a-zA-Z0-9]*)`,
    String.raw`(?<sign>\|\||&&|==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}])`,
  ].join("|"),
  "y",
);
/** Operators of two operands, the loosest first. */
const LEVELS: readonly ReadonlySet<string>[] = [
  new Set(["||"]),
  new Set(["&&"]),
  new Set(["==", "!=", "<", "<=", ">", ">=", "in"]),
  new Set(["+", "-"]),
  new Set(["*", "/", "%"]),
];
/** Methods whose first argument is a new name that the others may use. */
const BINDERS = new Set(["all", "exists", "exists_one", "existsOne", "map", "filter", "bind"]);
const LITERALS = new Set(["true", "false", "null"]);

interface Token {
  readonly kind: "number" | "text" | "name" | "sign" | "end";
  readonly text: string;
  readonly offset: number;
}

/** Thrown to leave the parser; `checkCel` turns it into its answer. */
class CelSyntaxError extends Error {
  override readonly name = "CelSyntaxError";
  constructor(readonly offset: number, message: string) {
    super(message);
  }
}

/**
 * What is wrong with a CEL expression, or undefined: its grammar, and the variables and fields it names. Types and
 * functions are not checked.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md
 */
export function checkCel(text: string, environment: CelEnvironment): CelProblem | undefined {
  try {
    if (text.length > MAX_LENGTH) throw new CelSyntaxError(0, `the expression is longer than ${MAX_LENGTH} characters`);
    new CelParser(tokens(text), environment).whole();
    return undefined;
  } catch (error) {
    if (error instanceof CelSyntaxError) return { offset: error.offset, message: error.message };
    throw error;
  }
}

function tokens(text: string): Token[] {
  const list: Token[] = [];
  for (let offset = 0; offset < text.length;) {
    TOKEN.lastIndex = offset;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw new CelSyntaxError(offset, `unexpected ${JSON.stringify(text[offset])}`);
    for (const kind of ["number", "text", "name", "sign"] as const) {
      const found = groups[kind];
      if (found !== undefined) list.push({ kind, text: found, offset });
    }
    offset = TOKEN.lastIndex;
  }
  list.push({ kind: "end", text: "", offset: text.length });
  return list;
}

class CelParser {
  readonly #tokens: readonly Token[];
  readonly #environment: CelEnvironment;
  readonly #bound: string[] = [];
  #next = 0;
  #depth = 0;

  constructor(list: readonly Token[], environment: CelEnvironment) {
    this.#tokens = list;
    this.#environment = environment;
  }

  whole(): void {
    this.#expression();
    if (this.#peek().kind !== "end") this.#unexpected();
  }

  #expression(): void {
    if (++this.#depth > MAX_DEPTH) throw new CelSyntaxError(this.#peek().offset, "the expression is nested too deep");
    this.#binary(0);
    if (this.#take("?")) {
      this.#binary(0);
      this.#expect(":");
      this.#expression();
    }
    this.#depth--;
  }

  #binary(level: number): void {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    do this.#binary(level + 1); while (this.#takeOf(operators));
  }

  #unary(): void {
    const sign = this.#peek().text;
    if (sign === "!" || sign === "-") { while (this.#take(sign)); }
    this.#primary();
    this.#members();
  }

  #primary(): void {
    this.#take(".");
    const token = this.#peek();
    if (token.kind === "number" || token.kind === "text") {
      this.#next++;
    } else if (token.kind === "name" && token.text !== "in") {
      this.#next++;
      if (this.#take("(")) this.#arguments(")", token.text);
      else if (!LITERALS.has(token.text)) this.#name(token);
    } else if (this.#take("(")) {
      this.#expression();
      this.#expect(")");
    } else if (this.#take("[")) {
      this.#arguments("]");
    } else if (this.#take("{")) {
      this.#mapEntries();
    } else {
      this.#unexpected();
    }
  }

  /** A variable, and the field named right behind it. */
  #name(token: Token): void {
    if (this.#bound.includes(token.text)) return;
    const fields = this.#environment.variables.get(token.text);
    if (fields === undefined) {
      if (this.#environment.closed && !this.#isMessageName()) {
        throw new CelSyntaxError(token.offset, `there is no variable "${token.text}" here`);
      }
      return;
    }
    const field = this.#tokens[this.#next + 1];
    if (fields === "any" || this.#peek().text !== "." || field?.kind !== "name" || fields.has(field.text)) return;
    throw new CelSyntaxError(field.offset, `"${token.text}" has no field "${field.text}"`);
  }

  /** Whether what follows is a call of a function with a dotted name, as `cel.bind(…)`. */
  #isMessageName(): boolean {
    const [dot, name, open] = this.#tokens.slice(this.#next, this.#next + 3);
    return dot?.text === "." && name?.kind === "name" && open?.text === "(";
  }

  #members(): void {
    for (;;) {
      if (this.#take(".")) {
        this.#take("?");
        const token = this.#peek();
        if (token.kind !== "name") this.#unexpected();
        this.#next++;
        if (this.#take("(")) this.#arguments(")", token.text);
      } else if (this.#take("[")) {
        this.#take("?");
        this.#expression();
        this.#expect("]");
      } else {
        return;
      }
    }
  }

  #arguments(close: string, called = ""): void {
    const before = this.#bound.length;
    const first = this.#peek();
    if (BINDERS.has(called) && first.kind === "name" && this.#tokens[this.#next + 1]?.text === ",") {
      this.#bound.push(first.text);
    }
    while (!this.#take(close)) {
      this.#expression();
      if (!this.#take(",") && this.#peek().text !== close) this.#unexpected();
    }
    this.#bound.length = before;
  }

  #mapEntries(): void {
    while (!this.#take("}")) {
      this.#take("?");
      this.#expression();
      this.#expect(":");
      this.#expression();
      if (!this.#take(",") && this.#peek().text !== "}") this.#unexpected();
    }
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: "end", text: "", offset: 0 };
  }

  #take(text: string): boolean {
    const token = this.#peek();
    if (token.kind === "text" || token.text !== text) return false;
    this.#next++;
    return true;
  }

  #takeOf(texts: ReadonlySet<string>): boolean {
    const token = this.#peek();
    return token.kind !== "text" && texts.has(token.text) && this.#take(token.text);
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#unexpected(`, expected "${text}"`);
  }

  #unexpected(expected = ""): never {
    const token = this.#peek();
    const found = token.kind === "end" ? "the expression ends too early" : `unexpected ${JSON.stringify(token.text)}`;
    throw new CelSyntaxError(token.offset, found + expected);
  }
}
