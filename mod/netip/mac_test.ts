import { strictEqual, throws } from "node:assert/strict";
import { formatMac, parseMac } from "./mac.ts";

Deno.test("formatMac() and parseMac() are each other's inverse", () => {
  for (const text of ["02:00:00:00:00:0a", "02:00:00:ff:fe:00:00:01"]) strictEqual(formatMac(parseMac(text)), text);
  strictEqual(formatMac(parseMac("02-00-00-AB-00-01")), "02:00:00:ab:00:01");
  strictEqual(formatMac(new Uint8Array()), "");
});

Deno.test("parseMac() refuses other notations and lengths", () => {
  for (
    const text of ["", "02:00:00:00:00", "2:0:0:0:0:1", "0200.0000.0001", "02:00:00:00:00:0g", "02:00:00:00:00:01:"]
  ) {
    throws(() => parseMac(text), SyntaxError, text);
  }
});
