import { deepStrictEqual, throws } from "node:assert/strict";
import { DenortError, recoverDenort } from "./denort.ts";
import { compiledFile, elfFile, LINKED_SECTIONS } from "./elf_fixture.ts";

const original = elfFile(LINKED_SECTIONS);
const payload = new TextEncoder().encode("\x08\0d3n0l4nd and a program");
const compiled = compiledFile(original, payload);

const changed = (at: number, byte: number) => {
  const copy = compiled.slice();
  copy[at] = byte;
  return copy;
};

Deno.test("recoverDenort() gives back the file as it was before the program was appended", () => {
  const before = compiled.slice();
  deepStrictEqual(recoverDenort(compiled), original);
  deepStrictEqual(compiled, before, "the given bytes stay as they are");
});

Deno.test("recoverDenort() works on a part of a larger buffer", () => {
  const buffer = new Uint8Array(compiled.length + 3);
  buffer.set(compiled, 3);
  deepStrictEqual(recoverDenort(buffer.subarray(3)), original);
});

const cases = [
  { name: "an empty file", file: new Uint8Array(), fault: "truncated" },
  { name: "a header cut short", file: compiled.subarray(0, 63), fault: "truncated" },
  { name: "a file one byte short", file: compiled.subarray(0, -1), fault: "truncated" },
  { name: "a shell script", file: new TextEncoder().encode("#!/bin/sh\n".padEnd(100)), fault: "not-elf" },
  { name: "a 32-bit program", file: changed(4, 1), fault: "not-elf" },
  { name: "a program that was not compiled by Deno", file: original, fault: "no-marker" },
  {
    name: "a payload under another name",
    file: compiledFile(original, new TextEncoder().encode("\x08\0som30th3 and a program")),
    fault: "no-marker",
  },
  {
    name: "a changed section table",
    file: changed(original.length - 64 * 4 + 24, 99),
    fault: "no-section-table",
  },
  { name: "a changed program header", file: changed(64 + 56 + 8, 99), fault: "headers-differ" },
] as const;

for (const { name, file, fault } of cases) {
  Deno.test(`recoverDenort() refuses ${name}`, () => {
    throws(() => recoverDenort(file), (error) => error instanceof DenortError && error.fault === fault);
  });
}
