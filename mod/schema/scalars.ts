import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ProtoWriter } from "./proto_writer.ts";
import { define, refuse } from "./scalar.ts";
import type { Scalar } from "./shape.ts";

const { Varint, Bit64, LengthDelimited } = WireType;

export const STRING: Scalar<string> = define<string>({
  expected: "text",
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write: (w, v) => void w.string(v),
  read: (r) => r.string(),
  parse: (plain) =>
    typeof plain === "string"
      ? plain
      : typeof plain === "object" || plain === undefined
      ? refuse("text", plain)
      : String(plain),
});

export const BOOL: Scalar<boolean> = define<boolean>({
  expected: "true or false",
  json: { type: "boolean" },
  wireType: Varint,
  zero: false,
  write: (w, v) => void w.bool(v),
  read: (r) => r.bool(),
  parse: (plain) => typeof plain === "boolean" ? plain : refuse("true or false", plain),
});

function integer(
  expected: string,
  min: number,
  max: number,
  write: (w: ProtoWriter, v: number) => void,
  read: (r: BinaryReader) => number,
): Scalar<number> {
  const text = `${expected} from ${min} to ${max}`;
  return define<number>({
    expected: text,
    json: { type: "integer", minimum: min, maximum: max },
    wireType: Varint,
    zero: 0,
    write,
    read,
    parse: (plain) =>
      typeof plain === "number" && Number.isInteger(plain) && plain >= min && plain <= max
        ? plain
        : refuse(text, plain),
  });
}

export const INT32 = integer("a whole number", -(2 ** 31), 2 ** 31 - 1, (w, v) => void w.int32(v), (r) => r.int32());
export const UINT32 = integer("a whole number", 0, 2 ** 32 - 1, (w, v) => void w.uint32(v), (r) => r.uint32());
export const INT64 = integer(
  "a whole number",
  Number.MIN_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
  (w, v) => void w.int64(v),
  (r) => Number(r.int64()),
);
export const UINT64 = integer(
  "a whole number",
  0,
  Number.MAX_SAFE_INTEGER,
  (w, v) => void w.uint64(v),
  (r) => Number(r.uint64()),
);

export const FLOAT64: Scalar<number> = define<number>({
  expected: "a number",
  json: { type: "number" },
  wireType: Bit64,
  zero: 0,
  write: (w, v) => void w.double(v),
  read: (r) => r.double(),
  parse: (plain) => typeof plain === "number" ? plain : refuse("a number", plain),
});

const NO_BYTES = new Uint8Array(0);
const decoder = new TextDecoder();

export const BYTES: Scalar<Uint8Array> = define<Uint8Array>({
  expected: "base64 text",
  json: { type: "string", contentEncoding: "base64" },
  wireType: LengthDelimited,
  zero: NO_BYTES,
  isZero: (value) => value.length === 0,
  write: (w, v) => void w.bytes(v),
  read: (r) => r.bytes().slice(), // the reader's own is a view into the whole message
  parse(plain) {
    if (typeof plain !== "string") refuse("base64 text", plain);
    try {
      return Uint8Array.fromBase64(plain.replaceAll(/\s/g, ""));
    } catch {
      refuse("base64 text", plain);
    }
  },
  format: (value) => value.toBase64(),
});

export const TEXT: Scalar<string> = define<string>({
  ...STRING,
  write: (w, v) => void w.string(v),
  read: (r) => decoder.decode(r.bytes()),
});

/** PEM kept as text; configs and YAML carry it in base64. */
export const PEM: Scalar<string> = define<string>({
  ...TEXT,
  expected: "base64 of PEM text",
  json: { type: "string", contentEncoding: "base64" },
  parse(plain) {
    if (typeof plain !== "string") refuse("base64 of PEM text", plain);
    if (plain === "") return "";
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(plain.replaceAll(/\s/g, "")));
    } catch {
      throw new SyntaxError("expected base64 of PEM text"); // never the text itself: it may be a key
    }
  },
  format: (value) => new TextEncoder().encode(value).toBase64(),
});
