import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { neededLibraries } from "./elf_needed.ts";

Deno.test("neededLibraries() reads the program that runs this test", async () => {
  const program = await Deno.readFile(Deno.execPath());
  const needed = neededLibraries(program);
  ok(needed.includes("libc.so.6"), needed.join());
  throws(() => neededLibraries(program.subarray(0, 4096)), RangeError);
});

Deno.test("neededLibraries() finds nothing in what is not ELF", () => {
  deepStrictEqual(neededLibraries(new TextEncoder().encode("#!/bin/sh\n".repeat(20))), []);
  deepStrictEqual(neededLibraries(new Uint8Array()), []);
});
