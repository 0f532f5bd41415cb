import { deepStrictEqual } from "node:assert/strict";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { WireWriter } from "./wire_writer.ts";

const texts = [
  "",
  "a",
  "ü",
  "x".repeat(63),
  "x".repeat(64) + "ö",
  "€".repeat(127),
  "y".repeat(128),
  "z".repeat(20_000),
];
for (const text of texts) {
  Deno.test(`WireWriter writes ${text.length} characters as protobuf-es does`, () => {
    const expected = new BinaryWriter().tag(1, WireType.LengthDelimited).fork()
      .tag(2, WireType.LengthDelimited).string(text).tag(3, WireType.LengthDelimited).bytes(
        new TextEncoder().encode(text),
      )
      .join().tag(4, WireType.Varint).int32(text.length).finish();
    const writer = new WireWriter();
    const start = writer.begin(1);
    writer.text(2, text).bytes(3, new TextEncoder().encode(text)).end(start);
    deepStrictEqual(writer.number(4, text.length).finish(), expected);
  });
}

for (const value of [0, 127, 128, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER, -1, -62_135_596_800]) {
  Deno.test(`WireWriter writes the number ${value}`, () => {
    const reader = new BinaryReader(new WireWriter().number(1, value).finish());
    deepStrictEqual([reader.tag(), Number(reader.int64()), reader.pos], [[1, WireType.Varint], value, reader.len]);
  });
}

Deno.test("WireWriter starts anew after finish and after clear", () => {
  const writer = new WireWriter();
  writer.text(1, "lost");
  deepStrictEqual(writer.clear().number(1, 1).finish(), Uint8Array.of(8, 1));
  deepStrictEqual(writer.number(1, 2).finish(), Uint8Array.of(8, 2));
});
