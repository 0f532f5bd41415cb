/**
 * The part of `jsr:@std/cli` that this project uses: `parseArgs` with the JSR module's options, defaults and result,
 * so that the import map alone decides which one is used.
 * @see https://jsr.io/@std/cli/doc/parse-args
 */

type Names<T extends string> = readonly T[] | T;
/** One value, or with `collect` all of them in order. */
type Value<K extends string, C extends string, T> = K extends C ? T[] : T;
type Defaulted<K extends string, D, T> = K extends keyof D ? T | D[K] : T | undefined;

/** Options of {@linkcode parseArgs}. */
export interface ParseOptions<
  B extends string = string,
  S extends string = string,
  C extends string = string,
  N extends string = string,
  D extends Record<string, unknown> = Record<string, unknown>,
  DD extends boolean = boolean,
> {
  /** Flags that take no value; `true` makes every undeclared long flag one. Absent: false. */
  boolean?: Names<B> | boolean;
  /** Flags whose value stays text; `_` keeps positional arguments text, otherwise numerals become numbers. */
  string?: Names<S>;
  /** Flags that may be given more than once; their value is an array. Absent: empty. */
  collect?: Names<C>;
  /** Flags for which `--no-NAME` means false. */
  negatable?: Names<N>;
  alias?: Readonly<Record<string, string | readonly string[]>>;
  default?: D;
  /** Everything after `--` goes to `--` of the result instead of `_`. */
  "--"?: DD;
  /** Everything after the first positional argument is positional. */
  stopEarly?: boolean;
  /** Called for what is not declared; `false` keeps it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** Result of {@linkcode parseArgs}: one key a flag and alias, positional arguments in `_`. */
export type Args<
  B extends string,
  S extends string,
  C extends string,
  D extends Record<string, unknown>,
  DD extends boolean,
> =
  & { [K in B]: Value<K, C, boolean> }
  & { [K in Exclude<S, "_" | C>]: Defaulted<K, D, string> }
  & { [K in Extract<S, C>]: string[] }
  & { [K in Exclude<keyof D & string, B | S | "_">]: D[K] }
  & { _: (string | number)[] }
  & (true extends DD ? { "--": string[] } : unknown);

/** The flags and positional arguments of a command line. Values given as `--key=value`, `--key value`, `-k value`. */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  const N extends string = never,
  const D extends Record<string, unknown> = Record<never, never>,
  const DD extends boolean = false,
>(args: readonly string[], options: ParseOptions<B, S, C, N, D, DD> = {}): Args<B, S, C, D, DD> {
  return new Parser(options as ParseOptions).parse(args) as Args<B, S, C, D, DD>;
}

function names(value: Names<string> | boolean | undefined): readonly string[] {
  return typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
}

function isNumeral(text: string): boolean {
  return /^0x[0-9a-f]+$/i.test(text) || /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/.test(text);
}

class Parser {
  readonly #result: Record<string, unknown> = {};
  readonly #positional: (string | number)[] = [];
  readonly #aliases = new Map<string, Set<string>>();
  readonly #booleans: Set<string>;
  readonly #strings: Set<string>;
  readonly #collect: Set<string>;
  readonly #negatable: Set<string>;
  readonly #options: ParseOptions;

  constructor(options: ParseOptions) {
    this.#options = options;
    for (const [key, value] of Object.entries(options.alias ?? {})) {
      const group = [key, ...(typeof value === "string" ? [value] : value)];
      for (const name of group) this.#aliases.set(name, new Set(group.filter((other) => other !== name)));
    }
    this.#booleans = this.#withAliases(names(options.boolean));
    this.#strings = this.#withAliases(names(options.string));
    this.#collect = this.#withAliases(names(options.collect));
    this.#negatable = this.#withAliases(names(options.negatable));
  }

  parse(args: readonly string[]): Record<string, unknown> {
    const end = args.indexOf("--");
    const before = end === -1 ? args : args.slice(0, end);
    const after = end === -1 ? [] : args.slice(end + 1);
    for (let at = 0; at < before.length;) {
      const arg = before[at] ?? "";
      if (this.#options.stopEarly === true && !isFlag(arg)) {
        at += this.#addPositional(arg);
        this.#positional.push(...before.slice(at));
        break;
      }
      if (arg.startsWith("--")) at += this.#long(arg, before[at + 1]);
      else if (isFlag(arg)) at += this.#short(arg, before[at + 1]);
      else at += this.#addPositional(arg);
    }
    this.#addDefaults();
    if (this.#options["--"] === true) this.#result["--"] = [...after];
    else this.#positional.push(...after);
    return Object.assign(this.#result, { _: this.#positional });
  }

  #withAliases(keys: readonly string[]): Set<string> {
    return new Set(keys.flatMap((key) => [key, ...(this.#aliases.get(key) ?? [])]));
  }

  /** Reads `--key`, `--key=value`, `--no-key`; the number of arguments used. */
  #long(arg: string, next: string | undefined): 1 | 2 {
    const equals = arg.indexOf("=");
    if (equals !== -1) {
      const key = arg.slice(2, equals);
      const text = arg.slice(equals + 1);
      this.#set(key, this.#booleans.has(key) ? text !== "false" : text, arg);
      return 1;
    }
    const key = arg.slice(2);
    if (key.startsWith("no-") && this.#negatable.has(key.slice(3))) {
      this.#set(key.slice(3), false, arg);
      return 1;
    }
    return this.#keyed(key, arg, next, this.#options.boolean === true);
  }

  /** Reads `-k`, `-k value`, `-k5`, `-k./path`, `-k=value`, `-abc`; the number of arguments used. */
  #short(arg: string, next: string | undefined): 1 | 2 {
    const letters = arg.slice(1);
    for (const [at, letter] of [...letters].entries()) {
      const rest = letters.slice(at + 1);
      if (rest === "") return this.#keyed(letter, arg, next, false);
      const isLetter = /[A-Za-z]/.test(letter);
      if (isLetter && rest.startsWith("=")) {
        this.#set(letter, this.#booleans.has(letter) ? rest !== "=false" : rest.slice(1), arg);
        return 1;
      }
      if (/^\W/.test(rest) || (isLetter && isNumeral(rest))) {
        this.#set(letter, rest, arg);
        return 1;
      }
      this.#set(letter, this.#strings.has(letter) ? "" : true, arg);
    }
    return 1;
  }

  #keyed(key: string, arg: string, next: string | undefined, allBooleans: boolean): 1 | 2 {
    const isBoolean = this.#booleans.has(key) || allBooleans;
    if (next !== undefined && !/^-./.test(next) && !isBoolean) {
      this.#set(key, next, arg);
      return 2;
    }
    if (isBoolean && (next === "true" || next === "false")) {
      this.#set(key, next === "true", arg);
      return 2;
    }
    this.#set(key, this.#strings.has(key) ? "" : true, arg);
    return 1;
  }

  #set(key: string, value: string | boolean, arg: string): void {
    const isKnown = this.#booleans.has(key) || this.#strings.has(key) || this.#aliases.has(key) ||
      (this.#options.boolean === true && /^--[^=]+$/.test(arg));
    if (!isKnown && this.#options.unknown?.(arg, key, value) === false) return;
    const typed = typeof value === "string" && !this.#strings.has(key) && isNumeral(value) ? Number(value) : value;
    for (const name of [key, ...(this.#aliases.get(key) ?? [])]) {
      if (!this.#collect.has(name)) this.#result[name] = typed;
      else this.#result[name] = [...(Array.isArray(this.#result[name]) ? this.#result[name] : []), typed];
    }
  }

  #addPositional(arg: string): 1 {
    if (this.#options.unknown?.(arg) !== false) this.#positional.push(this.#positionalValue(arg));
    return 1;
  }

  #positionalValue(arg: string): string | number {
    return this.#strings.has("_") || !isNumeral(arg) ? arg : Number(arg);
  }

  #addDefaults(): void {
    for (const [key, value] of Object.entries(this.#options.default ?? {})) {
      for (const name of [key, ...(this.#aliases.get(key) ?? [])]) {
        if (!(name in this.#result)) this.#result[name] = value;
      }
    }
    for (const name of this.#collect) if (!(name in this.#result)) this.#result[name] = [];
    for (const name of this.#booleans) if (!(name in this.#result)) this.#result[name] = false;
  }
}

function isFlag(arg: string): boolean {
  return arg.startsWith("-") && arg !== "-";
}
