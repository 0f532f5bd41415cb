import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  comparePrefixes,
  formatPrefix,
  hostPrefix,
  isPrefix,
  maskPrefix,
  parsePrefix,
  prefixContains,
  prefixesOverlap,
} from "./prefix.ts";

Deno.test("parsePrefix() keeps host bits and formatPrefix() writes them", () => {
  deepStrictEqual(parsePrefix("10.0.0.5/24"), { address: "10.0.0.5", bits: 24 });
  deepStrictEqual(parsePrefix("2001:DB8::0/0"), { address: "2001:db8::", bits: 0 });
  strictEqual(formatPrefix({ address: "::1", bits: 128 }), "::1/128");
  strictEqual(hostPrefix("10.0.0.5"), "10.0.0.5/32");
});

Deno.test("parsePrefix() refuses a missing, odd or too long length", () => {
  for (
    const text of ["10.0.0.5", "10.0.0.5/", "10.0.0.5/33", "::/129", "::/-1", "::/064", "10.0.0/8", "/8", "::/8/8"]
  ) {
    throws(() => parsePrefix(text), SyntaxError, text);
    strictEqual(isPrefix(text), false, text);
  }
});

const masks: [prefix: string, network: string][] = [
  ["10.1.2.3/0", "0.0.0.0/0"],
  ["10.1.2.3/9", "10.0.0.0/9"],
  ["10.129.2.3/9", "10.128.0.0/9"],
  ["10.1.2.3/32", "10.1.2.3/32"],
  ["2001:db8:ffff::1/33", "2001:db8:8000::/33"],
];
for (const [prefix, network] of masks) {
  Deno.test(`maskPrefix() of ${prefix}`, () => strictEqual(maskPrefix(prefix), network));
}

Deno.test("prefixContains() takes addresses and prefixes of the same family", () => {
  strictEqual(prefixContains("10.0.0.5/24", "10.0.0.255"), true);
  strictEqual(prefixContains("10.0.0.0/24", "10.0.1.0"), false);
  strictEqual(prefixContains("10.0.0.0/24", "10.0.0.128/25"), true);
  strictEqual(prefixContains("10.0.0.128/25", "10.0.0.0/24"), false);
  strictEqual(prefixContains("0.0.0.0/0", "::1"), false);
  strictEqual(prefixContains("::/0", "2001:db8::1"), true);
  strictEqual(prefixesOverlap("10.0.0.128/25", "10.0.0.0/8"), true);
  strictEqual(prefixesOverlap("10.0.0.0/25", "10.0.0.128/25"), false);
});

Deno.test("comparePrefixes() puts IPv4 first, then bytes, then the wider network", () => {
  const sorted = ["10.0.0.0/8", "10.0.0.0/24", "10.0.0.1/8", "::/0", "fe80::/10"];
  deepStrictEqual([...sorted].reverse().sort(comparePrefixes), sorted);
});
