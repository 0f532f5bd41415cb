import { deepStrictEqual, throws } from "node:assert/strict";
import { struct } from "./struct.ts";

const mixed = struct(24, {
  a: [0, "u8"],
  b: [2, "u16be"],
  c: [4, "i32"],
  d: [8, "u64"],
  e: [16, 4],
  f: [20, "u32"],
});
const values = { a: 0xff, b: 0x0102, c: -2, d: 2n ** 63n, e: Uint8Array.of(1, 2, 3, 4), f: 0xfffffffe };
const bytes = Uint8Array.fromHex("ff000102feffffff000000000000008001020304feffffff");

Deno.test("struct() encodes, decodes and leaves out zeros", () => {
  deepStrictEqual(mixed.encode(values), bytes);
  deepStrictEqual(mixed.decode(bytes), values);
  deepStrictEqual(mixed.decode(Uint8Array.of(7, ...bytes), 1), values);
  deepStrictEqual(mixed.encode({}), new Uint8Array(24));
});

Deno.test("struct() refuses one byte less and a value that does not fit", () => {
  throws(() => mixed.decode(bytes.subarray(0, 23)), RangeError);
  throws(() => mixed.decode(bytes, 1), RangeError);
  throws(() => mixed.encode({ e: new Uint8Array(5) }), RangeError);
});
