import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { elfFile, LINKED_SECTIONS } from "./elf_fixture.ts";
import { ElfError, stripElf } from "./strip_elf.ts";

const linked = elfFile(LINKED_SECTIONS);

/** Name and content of every section, read through the section table. */
function sections(file: Uint8Array): [string, string][] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const table = Number(view.getBigUint64(40, true));
  const text = (at: number, size: number) => new TextDecoder().decode(file.subarray(at, at + size));
  const content = (index: number) => {
    const at = table + index * 64;
    return text(Number(view.getBigUint64(at + 24, true)), Number(view.getBigUint64(at + 32, true)));
  };
  const names = content(view.getUint16(62, true));
  return Array.from({ length: view.getUint16(60, true) }, (_, index) => {
    const start = view.getUint32(table + index * 64, true);
    return [names.slice(start, names.indexOf("\0", start)), content(index)];
  });
}

Deno.test("stripElf() drops the symbols and their strings and keeps all else", () => {
  const stripped = stripElf(linked);
  ok(stripped.length < linked.length);
  const expected = sections(linked).filter(([name]) => name !== ".symtab" && name !== ".strtab");
  deepStrictEqual(sections(stripped), expected);
  strictEqual(stripped.length, stripElf(stripped).length, "a second run finds nothing");
});

Deno.test("stripElf() refuses what is not an ELF file with its tables", () => {
  for (const file of [new Uint8Array(), linked.subarray(0, 63), linked.subarray(0, -1), new Uint8Array(200)]) {
    throws(() => stripElf(file), ElfError);
  }
});
