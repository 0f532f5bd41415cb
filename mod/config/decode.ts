import {
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
  type YAMLParseError,
} from "yaml";
import { deepFreeze, nearest } from "../schema/mod.ts";
import type { ConfigDocument, MachineConfigDocuments, V1Alpha1Document } from "./documents.ts";
import { documentLabel } from "./documents.ts";
import { MAX_PROBLEMS, NodeReader } from "./node_reader.ts";
import { ConfigError, type Problem } from "./problem.ts";
import { isNull, textOf } from "./scalar_text.ts";
import { DOCUMENT_SHAPES, isDocumentKind } from "./schema/kinds.ts";
import { V1ALPHA1 } from "./schema/v1alpha1.ts";
import { unusedKeys } from "./unused.ts";

/** Largest text and most documents that are read; more is an error, not a slow answer. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_DOCUMENTS = 10_000;
/** Words, marks and breaks of the text; a large config has 1,300, and a block of text is one. */
const MAX_LEXEMES = 300_000;
/** Brackets open at once. */
const MAX_OPEN = 1_000;

const HEAD = new Set(["apiVersion", "kind"]);
const NONE: ReadonlySet<string> = new Set();

type AnyDocument = ConfigDocument | V1Alpha1Document;

/** A document before its shape is looked at; what prepares it may take parts out and report problems. */
export interface PreparedDocument {
  readonly document: ParsedDocument;
  report(at: Node, path: string, message: string): void;
}
type ParsedDocument = Document.Parsed<ParsedNode, true>;

/** What was read last, newest first: applying, storing and using a config each read the same text. */
const recent: MachineConfigDocuments[] = [];
const MAX_RECENT = 3;

/**
 * Reads a machine config: YAML documents, each of a known kind, with known keys of the right type. Keys that must be
 * set may still be missing and values may contradict each other: see `validateConfig`.
 * @throws {ConfigError} with every problem found, up to 50.
 */
export function decodeConfig(text: string): MachineConfigDocuments {
  const known = recent.find((config) => config.text === text);
  if (known !== undefined) return known;
  const documents = deepFreeze(decodeDocuments(text, "read"));
  const v1alpha1 = documents.find((document) => document.kind === "v1alpha1")?.value;
  const config = Object.freeze({ text, documents, v1alpha1, unused: unusedKeys(documents) });
  recent.unshift(config);
  recent.length = Math.min(recent.length, MAX_RECENT);
  return config;
}

/**
 * The documents of a text. `prepare` sees each one before it is read and tells whether it is to be read at all.
 * @throws {ConfigError} "Cannot `verb` the machine config", with every problem found, up to 50.
 */
export function decodeDocuments(
  text: string,
  verb: string,
  prepare: (prepared: PreparedDocument) => boolean = () => true,
): AnyDocument[] {
  const problems: Problem[] = [];
  const documents = readDocuments(text, problems, prepare);
  findDuplicates(documents, problems);
  if (problems.length > 0) throw new ConfigError(verb, problems.toSorted(byPlace));
  return documents;
}

function byPlace(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column;
}

function readDocuments(
  text: string,
  problems: Problem[],
  prepare: (prepared: PreparedDocument) => boolean,
): AnyDocument[] {
  if (text.length > MAX_CHARACTERS) {
    problems.push({ ...START, message: `longer than ${MAX_CHARACTERS} characters` });
    return [];
  }
  const documents: AnyDocument[] = [];
  try {
    let position = 0;
    for (const { document, lines } of parseDocuments(text)) {
      if (++position > MAX_DOCUMENTS) {
        problems.push({ ...START, document: position, message: `more than ${MAX_DOCUMENTS} documents` });
        break;
      }
      const reader = new NodeReader(lines, position, problems);
      for (const error of document.errors) reader.report(error.pos[0], "", `not YAML: ${reasonOf(error)}`);
      if (document.errors.length > 0) continue;
      const report = (at: Node, path: string, message: string) => reader.report(at, path, message);
      if (!prepare({ document, report })) continue;
      const decoded = decodeDocument(document, reader, position, lines);
      if (decoded !== undefined) documents.push(decoded);
      if (problems.length >= MAX_PROBLEMS) break;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push({ ...START, message: "nested too deep or too long to be read" }); // out of stack, or the limit
  }
  return documents;
}

const START = { document: 1, line: 1, column: 1, path: "" };

/**
 * The documents of a text, with every scalar left as text: what it means depends on the key it stands at.
 * @throws {RangeError} the text has too many parts, or too many brackets in brackets.
 */
export function* parseDocuments(text: string): Generator<{ document: ParsedDocument; lines: LineCounter }> {
  const lines = new LineCounter();
  // Equal keys are found by the reader: the composer compares every pair of keys.
  const composer = new Composer({
    schema: "failsafe",
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "silent",
  });
  for (const document of composer.compose(parseTokens(text, lines))) {
    yield { document: document as ParsedDocument, lines };
  }
}

/** What `Parser.parse` does, but for the limit. */
function* parseTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let lexemes = 0, open = 0;
  // files put together: every line may start with a byte order mark, YAML 1.2 section 5.2
  const unmarked = text.includes("\ufeff", 1) ? text.replaceAll(/^\ufeff/gm, "") : text;
  for (const lexeme of new Lexer().lex(unmarked)) {
    if (lexeme === "[" || lexeme === "{") open++;
    else if (lexeme === "]" || lexeme === "}") open--;
    if (++lexemes > MAX_LEXEMES || open > MAX_OPEN) {
      throw new RangeError("Cannot read the YAML text: it has too many parts or brackets in brackets");
    }
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function reasonOf({ code, message }: YAMLParseError): string {
  if (code === "RESOURCE_EXHAUSTION") return "nested too deep";
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function decodeDocument(
  parsed: ParsedDocument,
  reader: NodeReader,
  position: number,
  lines: LineCounter,
): AnyDocument | undefined {
  const root: Node | null = parsed.contents;
  if (root === null || (isScalar(root) && isNull(root))) return undefined;
  const entries = reader.entries(root, "");
  if (entries === undefined || entries.size === 0) return undefined;
  const text = (name: string) => {
    const node = entries.get(name)?.value;
    return isScalar(node) && !isNull(node) ? textOf(node) : undefined;
  };
  const at = (name: string) => entries.get(name)?.value ?? entries.get(name)?.at ?? root;
  const line = lines.linePos(root.range?.[0] ?? 0).line;
  const kind = text("kind");
  if (kind === undefined) {
    if (entries.has("kind")) reader.report(at("kind"), "kind", "expected the name of a kind");
    else if (entries.has("apiVersion")) reader.report(at("apiVersion"), "kind", "the document says no kind");
    else {
      const value = reader.record(V1ALPHA1, entries, "", 0, NONE);
      return { apiVersion: "v1alpha1", kind: "v1alpha1", name: "", value, document: position, line };
    }
    return undefined;
  }
  if (!isDocumentKind(kind)) {
    const meant = nearest(kind, Object.keys(DOCUMENT_SHAPES));
    const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
    reader.report(at("kind"), "kind", `no such kind "${kind}"${hint}`);
    return undefined;
  }
  if (text("apiVersion") !== "v1alpha1") {
    reader.report(at("apiVersion"), "apiVersion", `expected "v1alpha1"`);
    return undefined;
  }
  const value = reader.record(DOCUMENT_SHAPES[kind], entries, "", 0, HEAD);
  return { apiVersion: "v1alpha1", kind, name: nameOf(value), value, document: position, line } as AnyDocument;
}

function nameOf(value: Readonly<Record<string, unknown>>): string {
  return typeof value.name === "string" ? value.name : "";
}

function findDuplicates(documents: readonly AnyDocument[], problems: Problem[]): void {
  const seen = new Map<string, AnyDocument>();
  for (const document of documents) {
    if (problems.length >= MAX_PROBLEMS) return;
    const label = documentLabel(document);
    const first = seen.get(label);
    if (first === undefined) seen.set(label, document);
    else {
      const { document: number, line } = document;
      problems.push({
        document: number,
        line,
        column: 1,
        path: "",
        message: `${label} stands at line ${first.line} already`,
      });
    }
  }
}
