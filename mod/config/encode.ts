import { type PlainOptions, toPlain, toYaml } from "../schema/mod.ts";
import type { ConfigDocument, MachineConfigDocuments, V1Alpha1Document } from "./documents.ts";
import { DOCUMENT_SHAPES } from "./schema/kinds.ts";
import { V1ALPHA1 } from "./schema/v1alpha1.ts";

/**
 * The canonical text of a machine config: keys in the order of their shape, maps sorted, four spaces a level.
 * Comments and formatting of the text it was read from are not kept. `redact` hides secrets.
 */
export function encodeConfig(config: MachineConfigDocuments, options: PlainOptions = {}): string {
  return config.documents.map((document) => encodeDocument(document, options)).join("---\n");
}

/** The canonical text of one document. */
export function encodeDocument(document: ConfigDocument | V1Alpha1Document, options: PlainOptions = {}): string {
  return toYaml(plainDocument(document, options));
}

/** One document as plain data, as YAML and JSON show it. */
export function plainDocument(
  document: ConfigDocument | V1Alpha1Document,
  options: PlainOptions = {},
): Record<string, unknown> {
  const { kind, apiVersion, value } = document;
  if (kind === "v1alpha1") return toPlain(V1ALPHA1, value, options);
  return { apiVersion, kind, ...toPlain(DOCUMENT_SHAPES[kind], value, options) };
}
