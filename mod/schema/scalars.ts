import { type BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { formatAddress, formatMac, parseAddress, parseMac, parsePrefix } from "../netip/mod.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import type { Scalar } from "./shape.ts";

const { Varint, Bit64, LengthDelimited } = WireType;

function refuse(expected: string, plain: unknown): never {
  throw new SyntaxError(`expected ${expected}, found ${describe(plain)}`);
}

/** A short, safe description of a foreign value. */
export function describe(plain: unknown): string {
  if (plain === null || plain === undefined) return "nothing";
  if (Array.isArray(plain)) return "a list";
  if (typeof plain === "object") return "a mapping";
  const text = typeof plain === "string" ? JSON.stringify(plain) : String(plain);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

type Part<T> = Omit<Scalar<T>, "kind" | "isZero" | "format"> & Partial<Pick<Scalar<T>, "isZero" | "format">>;

function define<T>(part: Part<T>): Scalar<T> {
  return { kind: "scalar", isZero: (value) => value === part.zero, format: (value) => value, ...part };
}

function textual(expected: string, check: (text: string) => string): Pick<Scalar<string>, "expected" | "parse"> {
  return {
    expected,
    parse(plain) {
      if (typeof plain !== "string") refuse(expected, plain);
      try {
        return check(plain);
      } catch {
        // The parser's own words name a detail; what the person needs is the form.
        refuse(expected, plain);
      }
    },
  };
}

/** Reads the members of a small message: `on(number)` consumes a known one and tells whether it did. */
function readMembers(reader: BinaryReader, length: number, on: (number: number) => boolean): void {
  const end = reader.pos + length;
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    if (!on(number)) reader.skip(wire, number);
  }
}

export const STRING: Scalar<string> = define<string>({
  expected: "text",
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write: (w, v) => void w.string(v),
  read: (r) => r.string(),
  parse: (plain) =>
    typeof plain === "string" ? plain : typeof plain === "object" ? refuse("text", plain) : String(plain),
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
  write: (w: BinaryWriter, v: number) => void,
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

export const BYTES: Scalar<Uint8Array> = define<Uint8Array>({
  expected: "base64 text",
  json: { type: "string", contentEncoding: "base64" },
  wireType: LengthDelimited,
  zero: NO_BYTES,
  isZero: (value) => value.length === 0,
  write: (w, v) => void w.bytes(v),
  read: (r) => r.bytes(),
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
  write: (w, v) => void w.bytes(new TextEncoder().encode(v)),
  read: (r) => new TextDecoder().decode(r.bytes()),
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

export const IP: Scalar<string> = define<string>({
  message: true,
  ...textual("an IP address such as 10.0.0.5", (text) => formatAddress(parseAddress(text))),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") w.tag(1, LengthDelimited).bytes(parseAddress(v));
    w.join();
  },
  read(r, length) {
    let text = "";
    readMembers(r, length, (number) => {
      if (number !== 1) return false;
      text = addressText(r.bytes());
      return true;
    });
    return text;
  },
});

export const PREFIX: Scalar<string> = define<string>({
  message: true,
  ...textual("a CIDR prefix such as 10.0.0.5/24", (text) => {
    const { address, bits } = parsePrefix(text);
    return `${address}/${bits}`;
  }),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") {
      const { address, bits } = parsePrefix(v);
      w.tag(1, LengthDelimited).bytes(parseAddress(address));
      if (bits !== 0) w.tag(2, Varint).int32(bits);
    }
    w.join();
  },
  read(r, length) {
    let address = "", bits = 0;
    readMembers(r, length, (number) => {
      if (number === 1) address = addressText(r.bytes());
      else if (number === 2) bits = r.int32();
      else return false;
      return true;
    });
    return address === "" ? "" : `${address}/${bits}`;
  },
});

function addressText(bytes: Uint8Array): string {
  return bytes.length === 0 ? "" : formatAddress(bytes);
}

export const MAC: Scalar<string> = define<string>({
  ...textual("a hardware address such as 02:00:00:00:00:01", (text) => formatMac(parseMac(text))),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write: (w, v) => void w.bytes(v === "" ? NO_BYTES : parseMac(v)),
  read(r) {
    const bytes = r.bytes();
    return bytes.length === 0 ? "" : formatMac(bytes);
  },
});

export const URL_TEXT: Scalar<string> = define<string>({
  message: true,
  ...textual("a URL such as https://10.0.0.1:6443", (text) => text === "" ? "" : (new URL(text), text)),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") w.tag(1, LengthDelimited).string(v);
    w.join();
  },
  read(r, length) {
    let text = "";
    readMembers(r, length, (number) => {
      if (number !== 1) return false;
      text = r.string();
      return true;
    });
    return text;
  },
});

/** `seconds` and `nanos` of a `google.protobuf.Duration` or `Timestamp`. */
function writeSeconds(w: BinaryWriter, seconds: number, nanos: number): void {
  w.fork();
  if (seconds !== 0) w.tag(1, Varint).int64(seconds);
  if (nanos !== 0) w.tag(2, Varint).int32(nanos);
  w.join();
}

function readSeconds(r: BinaryReader, length: number): { seconds: number; nanos: number } {
  const value = { seconds: 0, nanos: 0 };
  readMembers(r, length, (number) => {
    if (number === 1) value.seconds = Number(r.int64());
    else if (number === 2) value.nanos = r.int32();
    else return false;
    return true;
  });
  return value;
}

export const DURATION: Scalar<number> = define<number>({
  message: true,
  expected: "a duration such as 1m30s",
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: 0,
  write: (w, ms) => writeSeconds(w, Math.trunc(ms / 1000), Math.round((ms % 1000) * 1e6)),
  read(r, length) {
    const { seconds, nanos } = readSeconds(r, length);
    return seconds * 1000 + nanos / 1e6;
  },
  parse(plain) {
    if (plain === 0) return 0;
    if (typeof plain !== "string") refuse("a duration such as 1m30s", plain);
    return parseDuration(plain) ?? refuse("a duration such as 1m30s", plain);
  },
  format: formatDuration,
});

export const TIMESTAMP: Scalar<string> = define<string>({
  message: true,
  expected: "a time such as 2026-01-02T15:04:05Z",
  json: { type: "string", format: "date-time" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    const ms = v === "" ? 0 : Date.parse(v);
    writeSeconds(w, Math.floor(ms / 1000), (ms - Math.floor(ms / 1000) * 1000) * 1e6);
  },
  read(r, length) {
    const { seconds, nanos } = readSeconds(r, length);
    return new Date(seconds * 1000 + Math.trunc(nanos / 1e6)).toISOString();
  },
  parse: (plain) =>
    typeof plain === "string" && !Number.isNaN(Date.parse(plain))
      ? plain
      : refuse("a time such as 2026-01-02T15:04:05Z", plain),
});

/** A word of `words`; its number travels. The first word with number 0 (or else the first) is zero. */
export function wordScalar(words: Readonly<Record<string, number>>): Scalar<string> {
  const byNumber = new Map(Object.entries(words).map(([word, number]) => [number, word]));
  const zero = byNumber.get(0) ?? "";
  const names = Object.keys(words).filter((word) => word !== "");
  const expected = names.length === 1 ? `"${names[0]}"` : `one of ${names.map((word) => `"${word}"`).join(", ")}`;
  return define<string>({
    expected,
    json: { type: "string", enum: names },
    wireType: Varint,
    zero,
    write: (w, v) => void w.int32(words[v] ?? 0),
    read(r) {
      const number = r.int32();
      return byNumber.get(number) ?? String(number);
    },
    parse: (plain) => typeof plain === "string" && Object.hasOwn(words, plain) ? plain : refuse(expected, plain),
  });
}

/** Flag names joined with `,`; the bits travel. */
export function flagScalar(bits: Readonly<Record<string, number>>): Scalar<string> {
  const entries = Object.entries(bits);
  const expected = `flags of ${entries.map(([name]) => name).join(", ")}`;
  return define<string>({
    expected,
    json: { type: "string" },
    wireType: Varint,
    zero: "",
    write: (w, v) => void w.uint32(flagBits(bits, v)),
    read(r) {
      const mask = r.uint32();
      return entries.filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name).join(",");
    },
    parse(plain) {
      if (typeof plain !== "string") refuse(expected, plain);
      const unknown = plain.split(",").find((name) => name !== "" && !Object.hasOwn(bits, name));
      return unknown === undefined ? plain : refuse(expected, plain);
    },
  });
}

/** The bits of names joined with `,`; unknown names count nothing. */
export function flagBits(bits: Readonly<Record<string, number>>, names: string): number {
  return names.split(",").reduce((mask, name) => mask | (bits[name] ?? 0), 0) >>> 0;
}
