import { isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { deepFreeze, mergeRecord } from "../schema/mod.ts";
import { decodeConfig, decodeDocuments, type PreparedDocument } from "./decode.ts";
import { type ConfigDocument, documentLabel, type MachineConfigDocuments, type V1Alpha1Document } from "./documents.ts";
import { encodeConfig } from "./encode.ts";
import { applyJsonPatch, isJsonPatch } from "./json_patch.ts";
import { plainOf, textOf } from "./scalar_text.ts";
import { DOCUMENT_SHAPES } from "./schema/kinds.ts";
import { V1ALPHA1 } from "./schema/v1alpha1.ts";

const DIRECTIVE = "$patch";

type AnyDocument = ConfigDocument | V1Alpha1Document;
/** A way into a document: a key, or what the items of a list must have. */
type Way = readonly (string | Readonly<Record<string, unknown>>)[];
/** What a patch takes out: one document's part, or the whole of it when the way is empty. */
interface Deletion {
  readonly label: string;
  readonly way: Way;
}

/**
 * The canonical text of a machine config after a patch: a strategic merge patch (documents that are merged into those
 * of equal kind and name, or added; `$patch: delete` takes a key, an item or a document out), or a JSON patch
 * (a list of operations, for a config of the v1alpha1 document alone).
 * @throws {ConfigError} the config or the patch cannot be read, or the patch does not apply; nothing is changed.
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export function patchConfig(config: string, patch: string): string {
  const base = decodeConfig(config);
  if (isJsonPatch(patch)) return encodeConfig(decodeConfig(applyJsonPatch(base, patch)));
  const deletions: Deletion[] = [];
  const merging = decodeDocuments(patch, "read the patch of", (prepared) => takeDeletions(prepared, deletions));
  const merged = new Map(base.documents.map((document) => [documentLabel(document), document]));
  for (const document of merging) {
    const label = documentLabel(document);
    merged.set(label, mergeDocument(merged.get(label), document));
  }
  for (const deletion of deletions) applyDeletion(merged, deletion);
  const documents = deepFreeze([...merged.values()]);
  return encodeConfig(decodeConfig(encodeConfig({ ...base, documents } satisfies MachineConfigDocuments)));
}

function mergeDocument(base: AnyDocument | undefined, patch: AnyDocument): AnyDocument {
  if (base === undefined) return patch;
  return { ...base, value: mergeRecord(shapeOf(base), base.value, patch.value) } as AnyDocument;
}

function shapeOf({ kind }: AnyDocument) {
  return kind === "v1alpha1" ? V1ALPHA1 : DOCUMENT_SHAPES[kind];
}

/** Takes the parts marked for deletion out of a patch's document; tells whether something is left to merge. */
function takeDeletions({ document, report }: PreparedDocument, deletions: Deletion[]): boolean {
  const root: Node | null = document.contents;
  if (!isMap(root)) return true;
  const label = labelOf(root);
  if (isDeletion(root)) {
    if (label === "v1alpha1") report(root, "", "the v1alpha1 document cannot be deleted");
    deletions.push({ label, way: [] });
    return false;
  }
  takeFromMap(root, [], (way) => deletions.push({ label, way }));
  return true;
}

function takeFromMap(map: YAMLMap, way: Way, found: (way: Way) => void): void {
  map.items = map.items.filter(({ key, value }) => {
    if (!isScalar(key)) return true;
    const below = [...way, textOf(key)];
    if (isMap(value) && isDeletion(value)) {
      found(below);
      return false;
    }
    if (isMap(value)) takeFromMap(value, below, found);
    if (!isSeq(value)) return true;
    const before = value.items.length;
    value.items = value.items.filter((item) => {
      if (!isMap(item)) return true;
      if (isDeletion(item)) found([...below, selectorOf(item)]);
      else takeFromMap(item, [...below, selectorOf(item)], found);
      return !isDeletion(item);
    });
    return before === 0 || value.items.length > 0; // a list of deletions only must not empty a list it would replace
  });
}

function isDeletion(map: YAMLMap): boolean {
  const directive = map.items.find(({ key }) => isScalar(key) && textOf(key) === DIRECTIVE)?.value;
  return isScalar(directive) && textOf(directive) === "delete";
}

function labelOf(map: YAMLMap): string {
  const text = (name: string) => {
    const node = map.get(name, true);
    return isScalar(node) ? textOf(node) : "";
  };
  if (text("kind") === "") return "v1alpha1";
  return text("name") === "" ? text("kind") : `${text("kind")}/${text("name")}`;
}

/** The single values of an item, by key: what picks it from the list. */
function selectorOf(map: YAMLMap): Record<string, unknown> {
  const selector: Record<string, unknown> = {};
  for (const { key, value } of map.items) {
    if (!isScalar(key) || textOf(key) === DIRECTIVE) continue;
    if (isScalar(value)) selector[textOf(key)] = plainOf(value);
    else if (isMap(value)) selector[textOf(key)] = selectorOf(value);
  }
  return selector;
}

function applyDeletion(documents: Map<string, AnyDocument>, { label, way }: Deletion): void {
  const document = documents.get(label);
  if (document === undefined) return;
  if (way.length === 0) documents.delete(label);
  else documents.set(label, { ...document, value: without(document.value, way) } as AnyDocument);
}

function without(value: unknown, way: Way): unknown {
  const [step, ...rest] = way;
  if (step === undefined || typeof value !== "object" || value === null) return value;
  if (typeof step !== "string") {
    if (!Array.isArray(value)) return value;
    if (rest.length === 0) return value.filter((item) => !isSelected(item, step));
    return value.map((item) => isSelected(item, step) ? without(item, rest) : item);
  }
  if (!Object.hasOwn(value, step)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? members.filter(([name]) => name !== step)
      : members.map(([name, member]) => [name, name === step ? without(member, rest) : member]),
  );
}

function isSelected(item: unknown, selector: Readonly<Record<string, unknown>>): boolean {
  if (typeof item !== "object" || item === null) return false;
  const members = item as Readonly<Record<string, unknown>>;
  return Object.entries(selector).every(([name, wanted]) =>
    typeof wanted === "object" && wanted !== null
      ? isSelected(members[name], wanted as Readonly<Record<string, unknown>>)
      : String(members[name]) === String(wanted)
  );
}
