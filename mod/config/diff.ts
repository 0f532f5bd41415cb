import { structuredPatch, type StructuredPatchHunk } from "diff";
import { REDACTED } from "../schema/mod.ts";
import { decodeConfig } from "./decode.ts";
import { documentLabel, type MachineConfigDocuments } from "./documents.ts";
import { encodeDocument } from "./encode.ts";

const CONTEXT_LINES = 3;
/** Lines that come and go before a document counts as another one: the search takes the square of them. */
const MAX_CHANGED_LINES = 2_000;
const ABSENT = "/dev/null";

/**
 * What changes from one machine config to another, as a unified diff for each document that differs; empty when they
 * say the same, however they are written. Secrets are shown as `****** (1)`; equal numbers are equal secrets.
 * @throws {ConfigError} when one of the texts is no machine config.
 */
export function diffConfig(before: string, after: string): string {
  const name = secretNames();
  const old = documentTexts(decodeConfig(before), name);
  const now = documentTexts(decodeConfig(after), name);
  const labels = new Set([...old.keys(), ...now.keys()]);
  return [...labels].map((label) => diffText(label, old.get(label), now.get(label))).join("");
}

function secretNames(): (secret: unknown) => string {
  const numbers = new Map<string, number>();
  return (secret) => {
    const key = JSON.stringify(secret);
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return `${REDACTED} (${number})`;
  };
}

function documentTexts(config: MachineConfigDocuments, redact: (secret: unknown) => string): Map<string, string> {
  return new Map(
    config.documents.map((document) => [documentLabel(document), encodeDocument(document, { redact })]),
  );
}

function diffText(label: string, old: string | undefined, now: string | undefined): string {
  if (old === now) return "";
  const lines = [`--- ${old === undefined ? ABSENT : label}`, `+++ ${now === undefined ? ABSENT : label}`];
  for (const { oldStart, oldLines, newStart, newLines, lines: body } of hunksOf(old ?? "", now ?? "")) {
    lines.push(`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...body);
  }
  return `${lines.join("\n")}\n`;
}

type Hunk = Omit<StructuredPatchHunk, "linedelimiters">;

/** What differs between two texts that end with a line end. */
function hunksOf(old: string, now: string): readonly Hunk[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_CHANGED_LINES };
  const patch = structuredPatch("", "", old, now, undefined, undefined, options);
  if (patch !== undefined) return patch.hunks;
  const [gone, come] = [old, now].map((text) => text.split("\n").slice(0, -1));
  if (gone === undefined || come === undefined) return [];
  const lines = [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)];
  return [{ oldStart: 1, oldLines: gone.length, newStart: 1, newLines: come.length, lines }];
}

/** A range without lines names the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}
