import { array, looseObject, nullable, optional, record, string } from "zod/mini";

/**
 * Reads a talosconfig; unknown keys are kept. In a module of its own, imported when a file is read, so that a bundle
 * holds only these parts of zod and starts without them.
 */
export function talosconfigSchema() {
  const texts = optional(nullable(array(string())));
  const text = optional(nullable(string()));
  const context = looseObject({ endpoints: texts, nodes: texts, ca: text, crt: text, key: text });
  return looseObject({ context: text, contexts: optional(nullable(record(string(), nullable(context)))) });
}
