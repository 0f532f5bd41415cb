import { strictEqual } from "node:assert/strict";
import { labelNumber } from "./label_match.ts";

// Clause 2.59.
const numbers: [text: string, number: bigint | undefined][] = [
  ["10kg", 10_000n],
  ["10 kg", 10_000n],
  ["1Gi", 1_073_741_824n],
  ["1gib", 1_073_741_824n],
  ["1G", 1_000_000_000n],
  ["2TB", 2_000_000_000_000n],
  ["1Pi", 1_125_899_906_842_624n],
  [" 5 ", 5n],
  ["-3", -3n],
  ["-3k", -3000n],
  ["9223372036854775807", 9223372036854775807n],
  ["9223372036854775808", undefined],
  ["1-2", undefined],
  ["--1", undefined],
  ["1.5k", undefined],
  ["1.1 k", undefined],
  ["1 1", undefined],
  ["k", undefined],
  ["", undefined],
  ["10x", undefined],
];
for (const [text, number] of numbers) {
  Deno.test(`labelNumber() of "${text}" is ${number}`, () => strictEqual(labelNumber(text), number));
}
