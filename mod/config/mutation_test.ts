import { ok } from "node:assert/strict";
import { ConfigError, decodeConfig, validateConfig } from "./mod.ts";

const ROUNDS = 2_000;
const SEED = 20_261_129;
const DATA = new URL("../../tests/data/config/", import.meta.url);
const VALUES = [
  "[]",
  "{}",
  "null",
  "~",
  "-1",
  "1e999",
  '"',
  "'",
  "*a",
  "&a",
  "!!binary x",
  "|",
  "<<",
  "? x",
  "[a, {b",
  "\t",
  "%TAG",
  "0x",
  "\u0000",
  "💥",
];

/** Numbers from 0 up to `below`, the same in every run (mulberry32). */
function randomizer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One random slip of a person or a disk: lines lost, doubled, moved, renamed, retyped, cut. */
function mutate(text: string, random: (below: number) => number): string {
  const lines = text.split("\n");
  const at = random(lines.length);
  const line = lines[at] ?? "";
  const value = VALUES[random(VALUES.length)] ?? "";
  switch (random(8)) {
    case 0:
      lines.splice(at, 1 + random(3));
      break;
    case 1:
      lines.splice(at, 0, line);
      break;
    case 2:
      lines[at] = line.replace(/\w(?=\w*:)/, "");
      break;
    case 3:
      lines[at] = line.replace(/:.*/, `: ${value}`);
      break;
    case 4:
      lines[at] = `${" ".repeat(random(9))}${line.trimStart()}`;
      break;
    case 5:
      return text.slice(0, random(text.length));
    case 6:
      lines.splice(at, 0, `${line.match(/^ */)?.[0] ?? ""}${value}`);
      break;
    case 7: {
      const start = random(text.length);
      return text.slice(0, start) + value + text.slice(start + random(40));
    }
  }
  return lines.join("\n");
}

Deno.test("decodeConfig() and validateConfig() survive every slip with a ConfigError at worst", () => {
  const random = randomizer(SEED);
  const texts = ["v1.14/controlplane.yaml", "v1.10/controlplane.yaml", "options/worker.yaml"]
    .map((path) => Deno.readTextFileSync(new URL(path, DATA)));
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let text = texts[round % texts.length] ?? "";
    for (let slips = 1 + random(3); slips > 0; slips--) text = mutate(text, random);
    try {
      validateConfig(decodeConfig(text), "metal");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw new Error(`round ${round}`, { cause: error });
      ok(error.problems.length > 0 && error.problems.every(({ line, column }) => line >= 1 && column >= 1));
      refused++;
    }
  }
  ok(refused > ROUNDS / 4 && refused < ROUNDS);
});
