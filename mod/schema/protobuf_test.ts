import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { decodeProto, encodeProto, field, ProtoWriter, record, type RecordShape, zeroRecord } from "./mod.ts";

interface Inner {
  name: string;
  note?: string;
}
const inner = record<Inner>()({ name: field.string(1), note: field.optional(field.string(2)) });
const one = (value: ReturnType<typeof field.string> | object): RecordShape =>
  record<Record<string, unknown>>()({ value } as never);
const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

const COLORS = { none: 0, red: 1, blue: 300 } as const;
// Bytes as protoc's generated code writes them.
const cases: [name: string, shape: RecordShape, value: unknown, bytes: string][] = [
  ["text", one(field.string(1)), "hé", "0a 03 68c3a9"],
  ["text with a high number", one(field.string(2000)), "x", "827d 01 78"],
  ["true", one(field.bool(2)), true, "10 01"],
  ["a whole number", one(field.int32(1)), 300, "08 ac02"],
  ["a negative number", one(field.int32(1)), -2, "08 feffffffffffffffff01"],
  ["the largest uint32", one(field.uint32(1)), 4294967295, "08 ffffffff0f"],
  ["a large uint64", one(field.uint64(1)), Number.MAX_SAFE_INTEGER, "08 ffffffffffffff0f"],
  ["a negative int64", one(field.int64(1)), Number.MIN_SAFE_INTEGER, "08 818080808080 80f0ff01"],
  ["a double", one(field.float64(1)), -1.5, "09 000000000000f8bf"],
  ["bytes", one(field.bytes(1)), new Uint8Array([0, 255]), "0a 02 00ff"],
  ["text as bytes", one(field.text(1)), "hé", "0a 03 68c3a9"],
  ["an IPv4 address", one(field.ip(1)), "10.0.0.5", "0a 06 0a04 0a000005"],
  ["an IPv6 address", one(field.ip(1)), "fe80::1", "0a 12 0a10 fe800000000000000000000000000001"],
  ["a prefix", one(field.prefix(1)), "10.0.0.5/24", "0a 08 0a04 0a000005 1018"],
  ["a default route", one(field.prefix(1)), "0.0.0.0/0", "0a 06 0a04 00000000"],
  ["a hardware address", one(field.mac(1)), "02:00:00:00:00:01", "0a 06 020000000001"],
  ["a URL", one(field.url(1)), "https://a:1", "0a 0d 0a0b 68747470733a2f2f613a31"],
  ["a duration", one(field.duration(1)), 90_500, "0a 08 085a 1080cab5ee01"],
  ["a negative duration", one(field.duration(1)), -500, "0a 0b 10 80b6ca91feffffffff01"],
  ["a time", one(field.timestamp(1)), "1970-01-01T00:01:40.000000005Z", "0a 04 0864 1005"],
  ["the year one", one(field.timestamp(1)), "0001-01-01T00:00:00Z", "0a 0b 08 8092b8c398feffffff01"],
  ["a word", one(field.oneOf(1, COLORS)), "blue", "08 ac02"],
  ["a number without a word", one(field.oneOf(1, COLORS)), "7", "08 07"],
  ["flags", one(field.flags(1, { up: 1, down: 2, far: 128 })), "up,far", "08 8101"],
  ["a record", one(field.record(1, inner)), { name: "x" }, "0a 03 0a0178"],
  ["an optional text that is empty", one(field.optional(field.string(1))), "", "0a 00"],
  ["a list of texts", one(field.list(1, field.string())), ["", "a"], "0a00 0a0161"],
  ["a packed list of numbers", one(field.list(1, field.uint32())), [0, 1, 300], "0a 04 00 01 ac02"],
  [
    "a list of prefixes",
    one(field.list(1, field.prefix())),
    ["1.1.1.1/8", "0.0.0.0/0"],
    [
      "0a08 0a0401010101 1008",
      "0a06 0a0400000000",
    ].join(""),
  ],
  [
    "a list of records",
    one(field.list(1, field.record(0, inner))),
    [{ name: "" }, { name: "x", note: "" }],
    [
      "0a00",
      "0a05 0a0178 1200",
    ].join(""),
  ],
];
for (const [name, shape, value, bytes] of cases) {
  Deno.test(`protobuf carries ${name} both ways`, () => {
    const encoded = encodeProto(shape, { value });
    strictEqual(encoded.toHex(), hex(bytes).toHex());
    deepStrictEqual(decodeProto(shape, encoded), { value });
    // One byte short: an error, or a whole value fewer where a value just ended; never a crash of another kind.
    try {
      decodeProto(shape, encoded.subarray(0, -1));
    } catch (error) {
      ok(
        error instanceof RangeError || error instanceof Error && /EOF|varint|invalid/i.test(error.message),
        String(error),
      );
    }
  });
}

Deno.test("a map travels sorted, with keys such as __proto__ and empty members", () => {
  const shape = one(field.map(1, field.string()));
  const value = JSON.parse(`{"b": "2", "__proto__": "x", "": ""}`) as Record<string, string>;
  const encoded = encodeProto(shape, { value });
  strictEqual(encoded.toHex(), hex("0a02 1200 0a0e 0a095f5f70726f746f5f5f 120178 0a06 0a0162 120132").toHex());
  const decoded = decodeProto(shape, encoded)["value"] as Record<string, string>;
  deepStrictEqual(Object.entries(decoded), [["", ""], ["__proto__", "x"], ["b", "2"]]);
});

Deno.test("absent fields become zero, or stay absent when optional", () => {
  interface All {
    text: string;
    list: readonly string[];
    inner: Inner;
    color: keyof typeof COLORS;
    note?: string;
  }
  const shape = record<All>()({
    text: field.string(1),
    list: field.list(2, field.string()),
    inner: field.record(3, inner),
    color: field.oneOf(4, COLORS),
    note: field.optional(field.string(5)),
  });
  const zero = { text: "", list: [], inner: { name: "" }, color: "none" };
  deepStrictEqual(decodeProto(shape, new Uint8Array(0)), zero);
  deepStrictEqual(zeroRecord(shape), zero);
  strictEqual(encodeProto(shape, zero).toHex(), "1a00");
});

Deno.test("unknown fields and known ones of another wire type are skipped", () => {
  const shape = one(field.int32(1));
  deepStrictEqual(decodeProto(shape, hex("1203 616263 08 07 1d 01020304")), { value: 7 });
  deepStrictEqual(decodeProto(shape, hex("0a01 61 0805")), { value: 5 });
});

Deno.test("unpacked numbers are read into a list, the last of several values counts", () => {
  deepStrictEqual(decodeProto(one(field.list(1, field.uint32())), hex("0801 0802 0a02 0304")), { value: [1, 2, 3, 4] });
  deepStrictEqual(decodeProto(one(field.string(1)), hex("0a0161 0a0162")), { value: "b" });
});

Deno.test("a part that is longer than the whole is refused", () => {
  throws(() => decodeProto(one(field.record(1, inner)), hex("0a02 0a05 6162636465")), Error);
  throws(() => decodeProto(one(field.string(1)), hex("0a05 61")), Error);
});

Deno.test("decoded bytes do not alias the message", () => {
  const message = hex("0a02 0102");
  const { value } = decodeProto(one(field.bytes(1)), message);
  message.fill(9);
  deepStrictEqual(value, new Uint8Array([1, 2]));
});

Deno.test("a failed encoding leaves nothing behind for the next one", () => {
  throws(() => encodeProto(one(field.list(1, field.ip())), { value: ["10.0.0.1", "nonsense"] }));
  throws(() => encodeProto(one(field.prefix(1)), { value: "10.0.0.1/33" }));
  strictEqual(encodeProto(one(field.int32(1)), { value: 1 }).toHex(), "0801");
});

Deno.test("ProtoWriter writes what BinaryWriter writes", () => {
  const long = "long text ".repeat(40), high = "ü€𝒳".repeat(30);
  for (const text of ["", "a", "x".repeat(64), "x".repeat(65), "x".repeat(127), "x".repeat(128), long, high]) {
    const ours = new ProtoWriter(), theirs = new BinaryWriter();
    for (const writer of [ours, theirs]) {
      writer.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).string(text)
        .tag(3, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(text).join().join();
      for (const number of [0, 1, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31)]) writer.tag(4, WireType.Varint).int32(number);
      for (const number of [0, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1]) writer.tag(5, WireType.Varint).int64(number);
      writer.tag(6, WireType.Bit64).double(Math.PI).tag(7, WireType.LengthDelimited).bytes(new Uint8Array(200));
    }
    strictEqual(ours.finish().toHex(), theirs.finish().toHex());
  }
  const large = "y".repeat(3_000_000);
  strictEqual(new ProtoWriter().string(large).finish().length, new BinaryWriter().string(large).finish().length);
});

Deno.test("random bytes are decoded or refused, never looped on", () => {
  const shape = record<{ list: readonly Inner[]; map: Readonly<Record<string, string>>; ip: string; at: string }>()({
    list: field.list(1, field.record(0, inner)),
    map: field.map(2, field.string()),
    ip: field.ip(3),
    at: field.timestamp(4),
  });
  const seed = encodeProto(shape, {
    list: [{ name: "x" }],
    map: { a: "b" },
    ip: "10.0.0.1",
    at: "2026-01-02T03:04:05Z",
  });
  let state = 12345;
  const random = (below: number) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  for (let turn = 0; turn < 20_000; turn++) {
    const bytes = seed.slice(0, random(seed.length) + 1);
    for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = random(256);
    try {
      decodeProto(shape, bytes);
    } catch (error) {
      ok(error instanceof Error && !(error instanceof ReferenceError));
    }
  }
});
