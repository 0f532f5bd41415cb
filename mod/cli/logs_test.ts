import { strictEqual } from "node:assert/strict";
import { LinePrefixer } from "./logs.ts";

const rows: readonly [name: string, chunks: readonly string[], text: string][] = [
  ["whole lines", ["a\nb\n"], "n: a\nn: b\n"],
  ["empty lines", ["\n\na\n"], "n: \nn: \nn: a\n"],
  ["a line in pieces", ["on", "", "e\ntw", "o\n"], "n: one\nn: two\n"],
  ["an end without newline", ["a\nb"], "n: a\nn: b\n"],
  ["nothing", [""], ""],
  ["carriage returns and separators inside a line", ["a\rb\u2028c\n"], "n: a\rb\u2028c\n"],
];
for (const [name, chunks, text] of rows) {
  Deno.test(`LinePrefixer ${name}`, () => {
    const lines = new LinePrefixer("n: ");
    const encoder = new TextEncoder();
    const written = chunks.map((chunk) => lines.add(encoder.encode(chunk))).join("") + lines.end();
    strictEqual(written, text);
  });
}

Deno.test("LinePrefixer puts characters together that are cut", () => {
  const lines = new LinePrefixer("n: ");
  const [first, ...rest] = new TextEncoder().encode("ü\n");
  strictEqual(lines.add(Uint8Array.of(first ?? 0)) + lines.add(Uint8Array.from(rest)), "n: ü\n");
});
