/** Reads 64-bit little-endian ELF header fields that `deno compile` changes. Offsets: elf.h, `Elf64_Ehdr`. */
const EHDR = { phoff: 32, shoff: 40, phentsize: 54, phnum: 56, shentsize: 58, shnum: 60, shstrndx: 62 } as const;
const EHDR_SIZE = 64;
const PHDR_SIZE = 56;
const SHDR_SIZE = 64;
/** `deno compile` adds one PT_LOAD and one PT_NOTE, and the sections `.sui.phdrs` and `.note.sui`. */
const ADDED_ENTRIES = 2;
const PT_PHDR = 6;
/** The new program header table starts on a page, so no more than this of zeros lies in front of it. */
const PAGE = 4096;
/** What Deno calls its payload inside the note. */
const MARKER = "d3n0l4nd";

/** Why a file is not one from which denort can be taken. */
export type DenortFault = "truncated" | "not-elf" | "no-marker" | "no-section-table" | "headers-differ";

const FAULT_TEXT: Record<DenortFault, string> = {
  "truncated": "the file ends before its own tables do",
  "not-elf": "it is no 64-bit little-endian ELF file",
  "no-marker": "it holds no payload of deno compile (2.9 or later)",
  "no-section-table": "the section table of the original file is not where it should be",
  "headers-differ": "the program headers at its start are not those of the original file",
};

/** The given bytes are not a `deno compile` output that this code understands. */
export class DenortError extends Error {
  override name = "DenortError";
  readonly fault: DenortFault;
  constructor(fault: DenortFault) {
    super(`Cannot recover denort: ${FAULT_TEXT[fault]}`);
    this.fault = fault;
  }
}

/**
 * Takes denort, the runtime that `deno compile` appends a program to, back out of a compiled x86-64 Linux program.
 *
 * Since Deno 2.9 a compiled program is the runtime's file, unchanged but for four header fields, and after its end:
 * zeros up to a page, the program header table with two more entries, a note with the payload, section names, and
 * the section table with two more entries. So the original file ends with its own section table, the last thing
 * before those zeros. It is found by its content: every entry but `.shstrtab` equals the new table's.
 *
 * @returns a copy, `compiled` stays as it is. Compare its SHA-256 with a known one before use: ELF has no checksum.
 * @throws {DenortError} with the `fault` that was found first
 */
export function recoverDenort(compiled: Uint8Array): Uint8Array {
  const view = new DataView(compiled.buffer, compiled.byteOffset, compiled.byteLength);
  const header = readHeader(view);
  checkMarker(view, header);
  const sectionTable = findSectionTable(view, header);
  const end = sectionTable + (header.shnum - ADDED_ENTRIES) * SHDR_SIZE;
  const original = compiled.slice(0, end);
  const out = new DataView(original.buffer);
  out.setBigUint64(EHDR.phoff, BigInt(EHDR_SIZE), true);
  out.setUint16(EHDR.phnum, header.phnum - ADDED_ENTRIES, true);
  out.setBigUint64(EHDR.shoff, BigInt(sectionTable), true);
  out.setUint16(EHDR.shnum, header.shnum - ADDED_ENTRIES, true);
  checkProgramHeaders(view, header);
  return original;
}

interface Header {
  phoff: number;
  phnum: number;
  shoff: number;
  shnum: number;
  shstrndx: number;
}

function readHeader(view: DataView): Header {
  if (view.byteLength < EHDR_SIZE) throw new DenortError("truncated");
  // \x7fELF, ELFCLASS64, ELFDATA2LSB
  if (view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201) throw new DenortError("not-elf");
  if (view.getUint16(EHDR.phentsize, true) !== PHDR_SIZE || view.getUint16(EHDR.shentsize, true) !== SHDR_SIZE) {
    throw new DenortError("not-elf");
  }
  const header = {
    phoff: Number(view.getBigUint64(EHDR.phoff, true)),
    phnum: view.getUint16(EHDR.phnum, true),
    shoff: Number(view.getBigUint64(EHDR.shoff, true)),
    shnum: view.getUint16(EHDR.shnum, true),
    shstrndx: view.getUint16(EHDR.shstrndx, true),
  };
  const tablesEnd = Math.max(header.phoff + header.phnum * PHDR_SIZE, header.shoff + header.shnum * SHDR_SIZE);
  if (tablesEnd > view.byteLength) throw new DenortError("truncated");
  return header;
}

/** The last section is the note: 12 bytes of header, "SUI" padded to even, a length (u16), then the name of the payload. */
function checkMarker(view: DataView, header: Header): void {
  if (header.shnum <= ADDED_ENTRIES || header.phnum <= ADDED_ENTRIES) throw new DenortError("no-marker");
  const note = header.shoff + (header.shnum - 1) * SHDR_SIZE;
  const offset = Number(view.getBigUint64(note + 24, true));
  const size = Number(view.getBigUint64(note + 32, true));
  if (offset + size > view.byteLength) throw new DenortError("truncated");
  const head = bytesAt(view, offset, Math.min(size, 64));
  if (!new TextDecoder("latin1").decode(head).includes(MARKER)) throw new DenortError("no-marker");
}

function findSectionTable(view: DataView, header: Header): number {
  const length = (header.shnum - ADDED_ENTRIES) * SHDR_SIZE;
  const last = header.phoff - length;
  for (let start = last - (last % 8); start >= EHDR_SIZE && start > last - PAGE; start -= 8) {
    if (isSectionTable(view, start, header)) return start;
  }
  throw new DenortError("no-section-table");
}

function isSectionTable(view: DataView, start: number, header: Header): boolean {
  for (let index = 0; index < header.shnum - ADDED_ENTRIES; index++) {
    if (index === header.shstrndx) continue;
    if (!equalBytes(view, start + index * SHDR_SIZE, header.shoff + index * SHDR_SIZE, SHDR_SIZE)) return false;
  }
  return true;
}

/** The table at the start of the file is the original one; only PT_PHDR, which tells the table's own place, may differ. */
function checkProgramHeaders(view: DataView, header: Header): void {
  for (let index = 0; index < header.phnum - ADDED_ENTRIES; index++) {
    const moved = header.phoff + index * PHDR_SIZE;
    if (view.getUint32(moved, true) === PT_PHDR) continue;
    if (!equalBytes(view, EHDR_SIZE + index * PHDR_SIZE, moved, PHDR_SIZE)) throw new DenortError("headers-differ");
  }
}

function bytesAt(view: DataView, offset: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + offset, length);
}

/** Whether two ranges of `length` bytes, a multiple of 4, are equal. */
function equalBytes(view: DataView, left: number, right: number, length: number): boolean {
  for (let at = 0; at < length; at += 4) {
    if (view.getUint32(left + at, true) !== view.getUint32(right + at, true)) return false;
  }
  return true;
}
