import { type Flag, UsageError } from "./flags.ts";
import type { OutputForm } from "./resource_printer.ts";

const FORMS = ["table", "yaml", "json"] as const;
const TEMPLATE = "jsonpath=";

/** `-o`: how resources are shown. */
export const outputFlag: Flag<OutputForm> = {
  short: "o",
  placeholder: "table|yaml|json|jsonpath=TEMPLATE",
  help: "form of the output",
  fallback: { form: "table" },
  fallbackText: "table",
  next(_previous, text) {
    if (text.startsWith(TEMPLATE)) return { form: "jsonpath", template: text.slice(TEMPLATE.length) };
    const form = FORMS.find((name) => name === text);
    if (form !== undefined) return { form };
    throw new UsageError(`"${text}" is not one of ${FORMS.join(", ")}, jsonpath=TEMPLATE`, {
      name: text,
      candidates: [...FORMS, TEMPLATE],
    });
  },
};
