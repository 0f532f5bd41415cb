import {
  type EventType,
  formatVersion,
  plainMetadata,
  type Resource,
  type ResourceDefinitionSpec,
  resourceYaml,
  specYaml,
} from "../cosi/mod.ts";
import { parseJsonPath, type Part } from "./jsonpath.ts";
import { jsonPathText } from "./jsonpath_text.ts";
import { parseSpec } from "./parse_spec.ts";
import { TableFormat } from "./table.ts";

/** A resource to show. Its spec is opaque, as it comes from a node. */
export interface Entry {
  readonly node: string;
  readonly resource: Resource;
  /** What happened to it; only when watching. */
  readonly event?: EventType;
}

/** How resources are shown. */
export type OutputForm =
  | { readonly form: "table" | "yaml" | "json" }
  | { readonly form: "jsonpath"; readonly template: string };

/** Text of the next entries; called with what came at once. All calls are about one type. */
export type ResourcePrinter = (definition: ResourceDefinitionSpec, entries: readonly Entry[]) => string;

/**
 * A printer of one command.
 * @param isWatch whether a table has a column for events.
 * @throws {JsonPathError}
 */
export function resourcePrinter(output: OutputForm, { isWatch }: { readonly isWatch: boolean }): ResourcePrinter {
  switch (output.form) {
    case "table":
      return tablePrinter(isWatch);
    case "yaml":
      return yamlPrinter();
    case "json":
      return (_definition, entries) =>
        entries.map((entry) => `${JSON.stringify(plainEntry(entry), undefined, 4)}\n`).join("");
    case "jsonpath": {
      const template = parseJsonPath(output.template);
      return (_definition, entries) =>
        entries.map((entry) => `${jsonPathText(template, plainEntry(entry))}\n`).join("");
    }
  }
}

const EVENT_MARKS: { readonly [T in EventType]?: string } = { created: "+", destroyed: "-" };

/** A table whose head comes with the first call. */
function tablePrinter(isWatch: boolean): ResourcePrinter {
  const format = new TableFormat();
  let columns: { name: string; path: Part[] }[] | undefined;
  return ({ printColumns, displayType }, entries) => {
    const rows: string[][] = [];
    if (columns === undefined) {
      columns = printColumns.map(({ name, jsonPath }) => ({ name: name.toUpperCase(), path: parseJsonPath(jsonPath) }));
      const names = columns.map(({ name }) => name);
      rows.push(["NODE", ...(isWatch ? ["*"] : []), "NAMESPACE", "TYPE", "ID", "VERSION", ...names]);
    }
    for (const { node, resource, event = "updated" } of entries) {
      const { namespace, id, version } = resource.metadata;
      const spec = columns.length === 0 ? undefined : parseSpec(specYaml(resource));
      const cells = columns.map(({ path }) => jsonPathText(path, spec).replaceAll("\n", " "));
      const mark = isWatch ? [EVENT_MARKS[event] ?? " "] : [];
      rows.push([node, ...mark, namespace, displayType, id, formatVersion(version), ...cells]);
    }
    return format.lines(rows);
  };
}

function yamlPrinter(): ResourcePrinter {
  let separator = "";
  return (_definition, entries) =>
    entries.map(({ node, event, resource }) => {
      const head = `${separator}node: ${node}\n${event === undefined ? "" : `event: ${event}\n`}`;
      separator = "---\n";
      return head + resourceYaml(resource);
    }).join("");
}

/** What JSON shows, and what a JSONPath is looked up in. */
function plainEntry({ node, event, resource }: Entry): Record<string, unknown> {
  const metadata = Object.entries(plainMetadata(resource.metadata)).map(([key, value]) => [
    key,
    value instanceof Map ? Object.fromEntries(value) : typeof value === "bigint" ? String(value) : value,
  ]);
  return {
    node,
    ...(event !== undefined && { event }),
    metadata: Object.fromEntries(metadata),
    spec: parseSpec(specYaml(resource)),
  };
}
