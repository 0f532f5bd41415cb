/**
 * The part of `jsr:@std/yaml` that this project uses, over `npm:yaml`. Names, signatures, defaults and error classes
 * are those of the JSR module, so that the import map alone decides which one is used.
 * @see https://jsr.io/@std/yaml
 */
import {
  type CreateNodeOptions,
  type DocumentOptions,
  parseAllDocuments,
  type ParseOptions as NpmParseOptions,
  type SchemaOptions,
  stringify as npmStringify,
  type Tags,
  type ToStringOptions,
} from "yaml";

/** Which tags are resolved: `failsafe` none, `json` and `core` JSON values, `default` also timestamps and binary. */
export type SchemaType = "failsafe" | "json" | "core" | "default";

/** Options of {@linkcode parse} and {@linkcode parseAll}. */
export interface ParseOptions {
  /** Default `default`, in which `2026-11-29` is a `Date` and `<<` merges; `core` leaves it a string. */
  schema?: SchemaType;
  /** The last of equal keys wins, instead of an error. Default false. */
  allowDuplicateKeys?: boolean;
  /** Called for each warning, which is otherwise dropped. */
  onWarning?(error: Error): void;
}

/** Options of {@linkcode stringify}. */
export interface StringifyOptions {
  /** Spaces of one level. Default 2. */
  indent?: number;
  /** Indents the items of a list below its key. Default true. */
  arrayIndent?: boolean;
  /** Leaves functions, symbols and `undefined` out, instead of an error. Default false. */
  skipInvalid?: boolean;
  schema?: SchemaType;
  /** `true` for plain order, or a comparison of two keys. Default false: order of insertion. */
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** Column at which long text is folded; -1 never. Default 80. */
  lineWidth?: number;
  /** Writes an object that occurs twice as an anchor and aliases. Default true. */
  useAnchors?: boolean;
  /** Quotes words that YAML 1.1 takes for booleans (`yes`, `off`). Default true. */
  compatMode?: boolean;
}

const EXTRA_TAGS: Tags = ["binary", "merge", "timestamp"];

function schemaOptions(schema: SchemaType = "default"): SchemaOptions {
  return schema === "default" ? { schema: "core", customTags: EXTRA_TAGS } : { schema };
}

/**
 * The value of the one document in `content`; `null` when it is empty.
 * @throws {SyntaxError} not YAML, or more than one document; the text ends with the line and column, counted from 1.
 */
export function parse(content: string, options: ParseOptions = {}): unknown {
  const documents = documentsOf(content, options);
  if (documents.length > 1) {
    throw new SyntaxError(`Cannot parse the YAML text: it holds ${documents.length} documents, one is expected`);
  }
  return documents.length === 0 ? null : documents[0];
}

/**
 * The values of all documents in `content`, an array; `[]` when it is empty.
 * @throws {SyntaxError} not YAML; the text ends with the line and column, counted from 1.
 */
export function parseAll(content: string, options: ParseOptions = {}): unknown {
  return documentsOf(content, options);
}

function documentsOf(content: string, options: ParseOptions): unknown[] {
  const npmOptions: NpmParseOptions & DocumentOptions & SchemaOptions = {
    ...schemaOptions(options.schema),
    uniqueKeys: options.allowDuplicateKeys !== true,
    logLevel: "silent",
  };
  const documents = parseAllDocuments(content, npmOptions);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const error = document.errors[0];
    if (error !== undefined) {
      throw new SyntaxError(`Cannot parse the YAML text: ${firstLine(error.message)}`, { cause: error });
    }
    for (const warning of document.warnings) options.onWarning?.(warning);
    return document.toJS();
  });
}

/** The library puts an excerpt below its message; the excerpt may hold secrets. */
function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}

/**
 * `data` as one YAML document, ending with a line break.
 * @throws {TypeError} `data` holds a function, a symbol or `undefined`, and `skipInvalid` is off.
 */
export function stringify(data: unknown, options: StringifyOptions = {}): string {
  const { sortKeys = false, lineWidth = 80 } = options;
  const npmOptions: DocumentOptions & SchemaOptions & NpmParseOptions & CreateNodeOptions & ToStringOptions = {
    ...schemaOptions(options.schema),
    indent: options.indent ?? 2,
    indentSeq: options.arrayIndent ?? true,
    aliasDuplicateObjects: options.useAnchors ?? true,
    lineWidth: lineWidth < 0 ? 0 : lineWidth,
    sortMapEntries: typeof sortKeys === "boolean" ? sortKeys : (a, b) => sortKeys(String(a.key), String(b.key)),
  };
  if (options.compatMode ?? true) npmOptions.compat = "yaml-1.1";
  return npmStringify(options.skipInvalid ? withoutInvalid(data) : checked(data), npmOptions);
}

function isInvalid(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function checked(value: unknown, seen: Set<unknown> = new Set()): unknown {
  if (isInvalid(value)) {
    throw new TypeError(`Cannot stringify a value of type ${typeof value}: YAML has no form for it`);
  }
  if (!Array.isArray(value) && !isPlain(value) || seen.has(value)) return value;
  seen.add(value);
  for (const item of Object.values(value)) checked(item, seen);
  return value;
}

function withoutInvalid(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isInvalid(item)).map(withoutInvalid);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => !isInvalid(item)).map(([key, item]) => [key, withoutInvalid(item)]),
  );
}
