import { plainMetadata, type Resource, resourceYaml, specYaml } from "../cosi/mod.ts";
import { isBlock, isPlainText } from "./parse_spec.ts";

/**
 * YAML of a resource with an opaque spec, as `resourceYaml` gives it, which does it when any text needs quotes. Without
 * the detour over a YAML library, lists of many thousand routes come at once.
 */
export function resourceText(resource: Resource): string {
  const spec = specYaml(resource);
  const metadata = isBlock(spec) ? mappingText(plainMetadata(resource.metadata), "    ") : undefined;
  if (metadata === undefined) return resourceYaml(resource);
  return `metadata:\n${metadata}spec:\n    ${spec.trimEnd().replaceAll(/\n(?=[^\n])/g, "\n    ")}\n`;
}

/** Undefined when a key or value needs quotes. */
function mappingText(mapping: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>, indent: string) {
  let text = "";
  for (const [key, value] of mapping instanceof Map ? mapping : Object.entries(mapping)) {
    const below = valueText(value, indent);
    if (below === undefined || !isPlainText(key)) return undefined;
    text += `${indent}${key}:${below}\n`;
  }
  return text;
}

/** What follows a key's colon. */
function valueText(value: unknown, indent: string): string | undefined {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "bigint") return ` ${value}`;
  if (typeof value === "string") return isPlainText(value) ? ` ${value}` : undefined;
  const deeper = `${indent}    `;
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string" && isPlainText(item))
      ? value.map((item) => `\n${deeper}- ${item}`).join("")
      : undefined;
  }
  const inner = value instanceof Map ? mappingText(value, deeper) : undefined;
  return inner && `\n${inner.trimEnd()}`;
}
