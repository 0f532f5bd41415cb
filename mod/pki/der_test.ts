import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  bitString,
  der,
  directoryString,
  oid,
  oidText,
  readDer,
  sequence,
  TAG,
  time,
  timeOf,
  unsigned,
} from "./der.ts";

const hex = (bytes: Uint8Array) => bytes.toHex();

const encodings: [name: string, bytes: Uint8Array, expected: string][] = [
  ["object identifier", oid("1.2.840.113549.1.1.11"), "06092a864886f70d01010b"],
  ["short object identifier", oid("2.5.4.10"), "060355040a"],
  ["integer", unsigned(Uint8Array.of(0, 0, 5)), "020105"],
  ["integer with its top bit set", unsigned(Uint8Array.of(0x80)), "02020080"],
  ["zero", unsigned(Uint8Array.of(0)), "020100"],
  ["bit string", bitString(Uint8Array.of(0x84), 2), "03020284"],
  ["printable text", directoryString("os:admin"), "13086f733a61646d696e"],
  ["other text", directoryString("ü@"), "0c03c3bc40"],
  ["time before 2050", time(new Date("2049-12-31T23:59:59.9Z")), "170d3439313233313233353935395a"],
  ["time from 2050 on", time(new Date("2050-01-01T00:00:00Z")), "180f32303530303130313030303030305a"],
  ["sequence", sequence(unsigned(Uint8Array.of(1)), der(TAG.null)), "30050201010500"],
];
for (const [name, bytes, expected] of encodings) {
  Deno.test(`DER form of ${name}`, () => strictEqual(hex(bytes), expected));
}

for (const length of [0, 127, 128, 255, 256, 65_536]) {
  Deno.test(`der() and readDer() agree on ${length} bytes of contents`, () => {
    const bytes = der(TAG.octetString, new Uint8Array(length).fill(7));
    const [value, ...rest] = readDer(bytes);
    deepStrictEqual([value?.tag, value?.contents.length, value?.bytes.length, rest], [4, length, bytes.length, []]);
    if (length > 0) throws(() => readDer(bytes.subarray(0, -1)), SyntaxError);
  });
}

Deno.test("readDer() refuses what DER does not allow", () => {
  for (const bytes of ["30", "3080", "1f8101", "3085ffffffffff"]) {
    throws(() => readDer(Uint8Array.fromHex(bytes)), SyntaxError);
  }
});

Deno.test("oidText() and timeOf() undo oid() and time()", () => {
  for (const text of ["1.2.840.10045.4.3.2", "2.5.29.17", "2.999.3", "0.9.2342"]) {
    strictEqual(oidText(readDer(oid(text))[0]?.contents ?? new Uint8Array()), text);
  }
  for (const text of ["1999-01-02T03:04:05.000Z", "2049-12-31T23:59:59.000Z", "2056-01-01T00:00:00.000Z"]) {
    const [value] = readDer(time(new Date(text)));
    strictEqual(value && timeOf(value).toISOString(), text);
  }
  throws(
    () => timeOf({ tag: TAG.utcTime, contents: new TextEncoder().encode("2611292111Z"), bytes: new Uint8Array() }),
    SyntaxError,
  );
});
