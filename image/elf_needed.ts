const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NULL = 0n;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;

/**
 * The shared libraries that a 64-bit little-endian ELF file asks for (`DT_NEEDED`), in its order.
 * Empty for a file that is not ELF, and for a statically linked program.
 * @throws {RangeError} when the file is cut off
 */
export function neededLibraries(file: Uint8Array): string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 64 || view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201) return [];
  const segments = readSegments(view);
  const dynamic = segments.find((segment) => segment.type === PT_DYNAMIC);
  if (dynamic === undefined) return [];
  const names: bigint[] = [];
  let strings = 0n;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    const tag = view.getBigInt64(at, true);
    const value = view.getBigUint64(at + 8, true);
    if (tag === DT_NULL) break;
    if (tag === DT_NEEDED) names.push(value);
    if (tag === DT_STRTAB) strings = value;
  }
  const table = fileOffset(segments, strings);
  return names.map((name) => textAt(file, table + Number(name)));
}

interface Segment {
  type: number;
  offset: number;
  address: bigint;
  size: number;
}

function readSegments(view: DataView): Segment[] {
  const table = Number(view.getBigUint64(32, true));
  return Array.from({ length: view.getUint16(56, true) }, (_, index) => {
    const at = table + index * 56;
    return {
      type: view.getUint32(at, true),
      offset: Number(view.getBigUint64(at + 8, true)),
      address: view.getBigUint64(at + 16, true),
      size: Number(view.getBigUint64(at + 32, true)),
    };
  });
}

function fileOffset(segments: readonly Segment[], address: bigint): number {
  const inside = segments.find(({ type, address: start, size }) =>
    type === PT_LOAD && address >= start && address < start + BigInt(size)
  );
  if (inside === undefined) {
    throw new RangeError("Cannot read the libraries of a program: its names are not in the file");
  }
  return inside.offset + Number(address - inside.address);
}

function textAt(file: Uint8Array, start: number): string {
  const end = file.indexOf(0, start);
  if (end < 0) throw new RangeError("Cannot read the libraries of a program: the file ends inside a name");
  return new TextDecoder().decode(file.subarray(start, end));
}
