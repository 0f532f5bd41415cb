/** Readers and writers by field type; numbers are in host byte order (little-endian), `be` in network order. */
const SCALARS = {
  u8: [1, (v: DataView, at: number) => v.getUint8(at), (v: DataView, at: number, x: number) => v.setUint8(at, x)],
  u16: [
    2,
    (v: DataView, at: number) => v.getUint16(at, true),
    (v: DataView, at: number, x: number) => v.setUint16(at, x, true),
  ],
  u16be: [2, (v: DataView, at: number) => v.getUint16(at), (v: DataView, at: number, x: number) => v.setUint16(at, x)],
  u32: [
    4,
    (v: DataView, at: number) => v.getUint32(at, true),
    (v: DataView, at: number, x: number) => v.setUint32(at, x, true),
  ],
  i32: [
    4,
    (v: DataView, at: number) => v.getInt32(at, true),
    (v: DataView, at: number, x: number) => v.setInt32(at, x, true),
  ],
} as const;

const WIDE = {
  u64: [
    8,
    (v: DataView, at: number) => v.getBigUint64(at, true),
    (v: DataView, at: number, x: bigint) => v.setBigUint64(at, x, true),
  ],
  i64: [
    8,
    (v: DataView, at: number) => v.getBigInt64(at, true),
    (v: DataView, at: number, x: bigint) => v.setBigInt64(at, x, true),
  ],
} as const;

/** How a field lies in memory; a number is that many raw bytes. */
export type FieldType = keyof typeof SCALARS | keyof typeof WIDE | number;
/** Field name to byte offset and type. */
export type StructTable = Readonly<Record<string, readonly [offset: number, type: FieldType]>>;
/** The values of a struct: numbers, bigints for 64-bit fields, bytes for raw fields. */
export type StructValues<T extends StructTable> = {
  [K in keyof T]: T[K][1] extends number ? Uint8Array : T[K][1] extends keyof typeof WIDE ? bigint : number;
};

/** Both directions of one C struct. */
export interface Struct<T extends StructTable> {
  /** `sizeof`, in bytes. */
  readonly size: number;
  /** New bytes; fields left out are zero. @throws {RangeError} if raw bytes are longer than their field. */
  encode(values: Partial<StructValues<T>>): Uint8Array<ArrayBuffer>;
  /** The same into a buffer that is zero at `at`. @throws {RangeError} also if it ends too early */
  write(view: DataView, at: number, values: Partial<StructValues<T>>): void;
  /** Raw fields are copies. @throws {RangeError} if fewer than `size` bytes follow `offset`. */
  decode(bytes: Uint8Array, offset?: number): StructValues<T>;
}

/** A codec out of `sizeof` and a table of offsets, as the header and the compiler lay them out. */
export function struct<const T extends StructTable>(size: number, table: T): Struct<T> {
  const fields = Object.entries(table);
  return {
    size,
    encode(values) {
      const bytes = new Uint8Array(size);
      this.write(new DataView(bytes.buffer), 0, values);
      return bytes;
    },
    write(view, start, values) {
      const given: Readonly<Record<string, number | bigint | Uint8Array | undefined>> = values;
      for (const [name, [at, type]] of fields) writeField(view, start + at, type, name, given[name]);
    },
    decode(bytes, offset = 0) {
      if (bytes.length - offset < size) {
        throw new RangeError(`Cannot decode struct: ${bytes.length - offset} bytes where ${size} are needed`);
      }
      const view = new DataView(bytes.buffer, bytes.byteOffset + offset, size);
      const values = fields.map(([name, [at, type]]) => [name, readField(view, at, type)]);
      return Object.fromEntries(values) as StructValues<T>;
    },
  };
}

function readField(view: DataView, at: number, type: FieldType): number | bigint | Uint8Array {
  if (typeof type === "number") return new Uint8Array(view.buffer, view.byteOffset + at, type).slice();
  return type === "u64" || type === "i64" ? WIDE[type][1](view, at) : SCALARS[type][1](view, at);
}

function writeField(view: DataView, at: number, type: FieldType, name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof type === "number" && value instanceof Uint8Array) {
    if (value.length > type) {
      throw new RangeError(`Cannot encode field "${name}": ${value.length} bytes where ${type} fit`);
    }
    new Uint8Array(view.buffer, view.byteOffset + at, type).set(value);
  } else if ((type === "u64" || type === "i64") && typeof value === "bigint") {
    WIDE[type][2](view, at, value);
  } else if (typeof type === "string" && type !== "u64" && type !== "i64" && typeof value === "number") {
    SCALARS[type][2](view, at, value);
  } else throw new TypeError(`Cannot encode field "${name}": ${typeof value} does not fit ${type}`);
}
