import { strictEqual } from "node:assert/strict";
import { elapsedText } from "./elapsed.ts";

const rows: readonly [ms: number, text: string][] = [
  [-5, "0s"],
  [999, "0s"],
  [59_999, "59s"],
  [60_000, "1m0s"],
  [3_605_000, "1h0m5s"],
  [90_000_000, "25h0m0s"],
];
for (const [ms, text] of rows) Deno.test(`elapsedText() ${ms} ms`, () => strictEqual(elapsedText(ms), text));
