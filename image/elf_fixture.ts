/** Builds small ELF files for the tests of what reads them. Layout: elf.h. */
export interface FixtureSection {
  name: string;
  type: number;
  flags: number;
  data: Uint8Array;
  link?: number;
}

const text = (value: string) => new TextEncoder().encode(value);

/** A linker's output in small: sections of all kinds, one PT_PHDR and one PT_LOAD, section table at the end. */
export const LINKED_SECTIONS: readonly FixtureSection[] = [
  { name: "", type: 0, flags: 0, data: new Uint8Array() },
  { name: ".text", type: 1, flags: 6, data: text("machine code") },
  { name: ".comment", type: 1, flags: 0x30, data: text("made by hand\0") },
  { name: ".symtab", type: 2, flags: 0, data: new Uint8Array(48).fill(7), link: 4 },
  { name: ".strtab", type: 3, flags: 0, data: text("\0main\0") },
  { name: ".shstrtab", type: 3, flags: 0, data: new Uint8Array() },
];

/** One ELF file of the given sections; `.shstrtab` gets its content here. */
export function elfFile(sections: readonly FixtureSection[]): Uint8Array {
  const names = text(sections.map((section) => section.name).join("\0") + "\0");
  const parts: { offset: number; data: Uint8Array }[] = [];
  let end = 64 + 2 * 56;
  for (const { name, data } of sections) {
    const content = name === ".shstrtab" ? names : data;
    parts.push({ offset: end, data: content });
    end += content.length;
  }
  const table = Math.ceil(end / 8) * 8;
  const file = new Uint8Array(table + sections.length * 64);
  const view = new DataView(file.buffer);
  writeHeader(view, { phoff: 64, phnum: 2, shoff: table, shnum: sections.length, shstrndx: sections.length - 1 });
  writeProgramHeader(view, 64, 6, 64, 112);
  writeProgramHeader(view, 120, 1, 0, table);
  let name = 0;
  for (const [index, section] of sections.entries()) {
    const part = parts[index] ?? { offset: 0, data: new Uint8Array() };
    file.set(part.data, part.offset);
    writeSection(view, table + index * 64, { ...section, name, offset: part.offset, size: part.data.length });
    name += section.name.length + 1;
  }
  return file;
}

/** Appends a payload to an ELF file the way `deno compile` does. */
export function compiledFile(original: Uint8Array, payload: Uint8Array): Uint8Array {
  const before = new DataView(original.buffer);
  const shoff = Number(before.getBigUint64(40, true));
  const shnum = before.getUint16(60, true);
  const phoff = Math.ceil(original.length / 4096) * 4096;
  const noteAt = phoff + 4 * 56;
  const note = new Uint8Array([4, 0, 0, 0, 0, 0, 0, 0, 1, 73, 85, 83, 83, 85, 73, 0, ...payload]);
  const table = Math.ceil((noteAt + note.length) / 8) * 8;
  const file = new Uint8Array(table + (shnum + 2) * 64);
  const view = new DataView(file.buffer);
  file.set(original);
  writeHeader(view, { phoff, phnum: 4, shoff: table, shnum: shnum + 2, shstrndx: before.getUint16(62, true) });
  file.set(original.subarray(64, 64 + 2 * 56), phoff);
  writeProgramHeader(view, phoff, 6, phoff, 4 * 56);
  writeProgramHeader(view, phoff + 112, 1, phoff, table - phoff);
  writeProgramHeader(view, phoff + 168, 4, noteAt, note.length);
  file.set(note, noteAt);
  file.set(original.subarray(shoff, shoff + shnum * 64), table);
  // The names moved to a longer table: the one entry that differs from the original.
  view.setBigUint64(table + before.getUint16(62, true) * 64 + 24, BigInt(noteAt + 1), true);
  writeSection(view, table + shnum * 64, { name: 1, type: 1, flags: 2, offset: phoff, size: 4 * 56 });
  writeSection(view, table + (shnum + 1) * 64, { name: 2, type: 7, flags: 2, offset: noteAt, size: note.length });
  return file;
}

interface HeaderFields {
  phoff: number;
  phnum: number;
  shoff: number;
  shnum: number;
  shstrndx: number;
}

function writeHeader(view: DataView, fields: HeaderFields): void {
  view.setUint32(0, 0x7f454c46);
  view.setUint16(4, 0x0201);
  view.setBigUint64(32, BigInt(fields.phoff), true);
  view.setBigUint64(40, BigInt(fields.shoff), true);
  const halves = [64, 56, fields.phnum, 64, fields.shnum, fields.shstrndx];
  for (const [index, value] of halves.entries()) view.setUint16(52 + index * 2, value, true);
}

function writeProgramHeader(view: DataView, at: number, type: number, offset: number, size: number): void {
  view.setUint32(at, type, true);
  for (const [index, value] of [offset, offset, offset, size, size].entries()) {
    view.setBigUint64(at + 8 + index * 8, BigInt(value), true);
  }
}

interface SectionFields {
  name: number;
  type: number;
  flags: number;
  offset: number;
  size: number;
  link?: number;
}

function writeSection(view: DataView, at: number, { name, type, flags, offset, size, link }: SectionFields): void {
  view.setUint32(at, name, true);
  view.setUint32(at + 4, type, true);
  for (const [index, value] of [flags, 0, offset, size].entries()) {
    view.setBigUint64(at + 8 + index * 8, BigInt(value), true);
  }
  view.setUint32(at + 40, link ?? 0, true);
}
