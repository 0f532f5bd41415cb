import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  addressFamily,
  canonicalAddress,
  compareAddresses,
  formatAddress,
  isAddress,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
  parseAddress,
} from "./address.ts";

const texts: [text: string, canonical: string][] = [
  ["10.0.0.5", "10.0.0.5"],
  ["255.255.255.255", "255.255.255.255"],
  ["::", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["2001:DB8:0:0:0:0:2:1", "2001:db8::2:1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["fe80::0001:0", "fe80::1:0"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["::ffff:c000:201", "::ffff:192.0.2.1"],
  ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
];
for (const [text, canonical] of texts) {
  Deno.test(`canonicalAddress() of ${text}`, () => {
    strictEqual(canonicalAddress(text), canonical);
    deepStrictEqual(parseAddress(canonical), parseAddress(text));
  });
}

Deno.test("parseAddress() refuses what is not one whole address", () => {
  const wrong = [
    ...["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1.2.3.-4", "1.2.3.1e1"],
    ...[":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::"],
    ...["fe80::1%eth0", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:"],
  ];
  for (const text of wrong) {
    throws(() => parseAddress(text), SyntaxError, text);
    strictEqual(isAddress(text), false, text);
  }
});

Deno.test("formatAddress() reads inside a larger buffer and refuses other lengths", () => {
  strictEqual(formatAddress(Uint8Array.of(9, 10, 0, 0, 5, 9), 1, 4), "10.0.0.5");
  throws(() => formatAddress(new Uint8Array(5)), RangeError);
  throws(() => formatAddress(new Uint8Array(15), 0, 16), RangeError);
});

Deno.test("compareAddresses() puts IPv4 first, then goes by bytes", () => {
  const sorted = ["9.0.0.1", "10.0.0.1", "10.0.0.2", "::1", "2001:db8::1", "fe80::1"];
  deepStrictEqual([...sorted].reverse().sort(compareAddresses), sorted);
});

Deno.test("address classes", () => {
  const all = ["127.0.0.53", "::1", "169.254.1.1", "fe80::1", "febf::1", "224.0.0.1", "ff02::1", "0.0.0.0", "::"];
  const others = ["128.0.0.1", "::2", "169.255.0.1", "fec0::1", "1::1"];
  const only = (is: (text: string) => boolean) => [...all, ...others].filter(is);
  deepStrictEqual(only(isLoopback), ["127.0.0.53", "::1"]);
  deepStrictEqual(only(isLinkLocal), ["169.254.1.1", "fe80::1", "febf::1"]);
  deepStrictEqual(only(isMulticast), ["224.0.0.1", "ff02::1"]);
  deepStrictEqual(only(isUnspecified), ["0.0.0.0", "::"]);
  deepStrictEqual([addressFamily("10.0.0.1"), addressFamily("::1")], [4, 6]);
});
