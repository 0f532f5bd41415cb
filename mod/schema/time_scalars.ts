import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { formatDuration, parseDuration } from "./duration.ts";
import type { ProtoWriter } from "./proto_writer.ts";
import { define, readMembers, refuse } from "./scalar.ts";
import type { Scalar } from "./shape.ts";

const { Varint, LengthDelimited } = WireType;

/** `seconds` and `nanos` of a `google.protobuf.Duration` or `Timestamp`. */
function writeSeconds(w: ProtoWriter, seconds: number, nanos: number): void {
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
  write(w, ms) {
    const seconds = Math.trunc(ms / 1000);
    const nanos = Math.round((ms - seconds * 1000) * 1e6);
    if (Math.abs(nanos) < 1e9) writeSeconds(w, seconds, nanos);
    else writeSeconds(w, seconds + Math.sign(nanos), 0);
  },
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

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.(\d{1,9})\d*)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Seconds since the epoch and nanoseconds of RFC 3339 text, or undefined when it is none. */
function parseTime(text: string): { seconds: number; nanos: number } | undefined {
  const match = RFC3339.exec(text);
  const ms = match === null ? NaN : Date.parse(text.toUpperCase());
  if (match === null || Number.isNaN(ms)) return undefined;
  return { seconds: Math.floor(ms / 1000), nanos: Number((match[1] ?? "").padEnd(9, "0")) };
}

export const TIMESTAMP: Scalar<string> = define<string>({
  message: true,
  expected: "a time such as 2026-01-02T15:04:05Z",
  json: { type: "string", format: "date-time" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    const { seconds, nanos } = (v === "" ? undefined : parseTime(v)) ?? { seconds: 0, nanos: 0 };
    writeSeconds(w, seconds, nanos);
  },
  read(r, length) {
    const { seconds, nanos } = readSeconds(r, length);
    const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
    return `${new Date(seconds * 1000).toISOString().slice(0, -5)}${fraction}Z`;
  },
  parse: (plain) =>
    typeof plain === "string" && parseTime(plain) !== undefined
      ? plain
      : refuse("a time such as 2026-01-02T15:04:05Z", plain),
});
