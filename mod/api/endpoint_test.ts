import { strictEqual, throws } from "node:assert/strict";
import { parseEndpoint } from "./endpoint.ts";

const good: readonly [text: string, dialled: string, isAddress: boolean][] = [
  ["10.5.0.2", "10.5.0.2:50000", true],
  ["10.5.0.2:6443", "10.5.0.2:6443", true],
  ["https://10.5.0.2:50000/", "10.5.0.2:50000", true],
  ["fd00::2", "[fd00::2]:50000", true],
  ["[fd00::2]:50001", "[fd00::2]:50001", true],
  ["FD00:0:0::2", "[fd00::2]:50000", true],
  ["node-1.example.org", "node-1.example.org:50000", false],
  ["node-1:1", "node-1:1", false],
];
for (const [text, dialled, isAddress] of good) {
  Deno.test(`parseEndpoint() reads ${text}`, () => {
    const endpoint = parseEndpoint(text);
    strictEqual(endpoint.text, dialled);
    strictEqual(endpoint.isAddress, isAddress);
  });
}
for (const text of ["", "10.5.0.2:0", "10.5.0.2:70000", "[node]:1", "a b", "http://x/path"]) {
  Deno.test(`parseEndpoint() refuses "${text}"`, () => throws(() => parseEndpoint(text), SyntaxError));
}
