import { isCollection, isMap, isScalar, LineCounter, parseDocument, stringify, type YAMLMap } from "yaml";
import { isPlainText, yamlText } from "../schema/mod.ts";
import type { AnyDefinition } from "./definition.ts";
import { plainMetadata, specYaml } from "./encoding.ts";
import type { Metadata } from "./metadata.ts";
import { newMetadata, parsePhase, parseVersion } from "./metadata_edit.ts";
import type { Resource } from "./resource.ts";
import { textMap } from "./text_map.ts";
import { EPOCH, parseTimestamp } from "./timestamp.ts";

/**
 * YAML of a whole resource: `metadata` and `spec` (cosi.md 1-F).
 * @throws {TypeError} for a spec that is not opaque, without its definition.
 */
export function resourceYaml(resource: Resource, definition?: AnyDefinition): string {
  const metadata = metadataYaml(resource.metadata);
  const whole = specYaml(resource, definition);
  if (/^[|>][^\n]*\n+ /.test(whole)) return `${metadata}spec: ${whole}`; // its end counts
  const spec = whole.trimEnd();
  const gap = isBlockCollection(spec) ? "\n    " : " ";
  return `${metadata}spec:${gap}${spec.replaceAll(/\n(?=[^\n])/g, "\n    ")}\n`;
}

function metadataYaml(metadata: Metadata): string {
  const plain = plainMetadata(metadata);
  const quick = yamlText(plain, "    ", OPTIONS.nullStr, isPlainText);
  if (quick !== undefined) return `metadata:\n${quick}`;
  return stringify({ metadata: plain }, OPTIONS).replace(/: +$/gm, ":");
}

/** The start of a list or a mapping in block style, for sure. */
const BLOCK_START = /^(?:- |[A-Za-z_][\w./-]*:(?:$| ))/;

/** Whether YAML text has to start on a line of its own below its key. */
function isBlockCollection(text: string): boolean {
  const end = text.indexOf("\n");
  if (BLOCK_START.test(end === -1 ? text : text.slice(0, end))) return true;
  const { contents } = parseDocument(text);
  return isCollection(contents) && contents.flow !== true;
}

const OPTIONS = { indent: 4, lineWidth: 0, nullStr: "" } as const;

/** A resource read from YAML: its metadata, and its spec as plain data. */
export interface ReadResource {
  readonly metadata: Metadata;
  readonly spec: unknown;
}

/**
 * Reads what `resourceYaml` writes; unknown metadata keys are ignored (clauses 1.37, 1.38).
 * @throws {SyntaxError} with line and column.
 */
export function parseResourceYaml(text: string): ReadResource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, problem: string): never => {
    const { line, col } = lines.linePos(offset);
    throw new SyntaxError(`Cannot read resource, line ${line}, column ${col}: ${problem}`);
  };
  const [broken] = document.errors;
  if (broken !== undefined) fail(broken.pos[0], broken.message);
  const root = document.contents;
  const metadata = isMap(root) ? root.get("metadata") : undefined;
  if (!isMap(root) || root.items.length !== 2 || !isMap(metadata) || !root.has("spec")) {
    return fail(0, `expected a mapping of "metadata" and "spec"`);
  }
  return { metadata: readMetadata(metadata, fail), spec: root.toJS(document).spec };
}

function readMetadata(map: YAMLMap, fail: (offset: number, problem: string) => never): Metadata {
  const offsetOf = (key: string): number => {
    const node = map.get(key, true) as { range?: [number, number, number] | null } | undefined;
    return node?.range?.[0] ?? map.range?.[0] ?? 0;
  };
  const text = (key: string): string => {
    const node: unknown = map.get(key, true);
    if (node === undefined || node === null) return "";
    if (!isScalar(node)) return fail(offsetOf(key), `"${key}" is no text`);
    return node.source ?? (node.value === null ? "" : String(node.value));
  };
  const read = <T>(key: string, parse: (text: string) => T): T => {
    try {
      return parse(text(key));
    } catch (error) {
      return fail(offsetOf(key), error instanceof Error ? error.message : String(error));
    }
  };
  const texts = (key: string): [string, string][] => {
    const node: unknown = map.get(key);
    if (node === undefined || node === null) return [];
    if (!isMap(node)) return fail(offsetOf(key), `"${key}" is no mapping`);
    return node.items.map(({ key, value }) => [scalarText(key), scalarText(value)]);
  };
  const finalizers = (map.toJSON() as { finalizers?: unknown }).finalizers ?? [];
  if (!Array.isArray(finalizers)) return fail(offsetOf("finalizers"), `"finalizers" is no list`);
  const time = (value: string) => value === "" ? EPOCH : parseTimestamp(value);
  return newMetadata({ namespace: text("namespace"), type: text("type"), id: text("id") }, {
    version: read("version", parseVersion),
    owner: text("owner"),
    phase: read("phase", parsePhase),
    created: read("created", time),
    updated: read("updated", time),
    labels: textMap(texts("labels")),
    annotations: textMap(texts("annotations")),
    finalizers: finalizers.map(String),
  });
}

function scalarText(node: unknown): string {
  if (!isScalar(node)) return "";
  return node.source ?? String(node.value ?? "");
}
