import { deepStrictEqual } from "node:assert/strict";
import { mirrorsFromSources } from "./mirror.ts";

const ORIGINAL = { archive: "http://deb.debian.org/debian", security: "http://deb.debian.org/debian-security" };

const cases = [
  { name: "falls back to Debian's own", text: "", mirrors: ORIGINAL },
  {
    name: "reads one-line entries, with options",
    text: "# deb http://off.example/debian bookworm main\n" +
      "deb [signed-by=/a.gpg arch=amd64] https://mirror.example/debian/ bookworm main\n" +
      "deb-src http://src.example/debian bookworm main\n" +
      "deb http://mirror.example/debian-security bookworm-security main\n",
    mirrors: { archive: "https://mirror.example/debian", security: "http://mirror.example/debian-security" },
  },
  {
    name: "reads deb822 stanzas and passes over other archives",
    text: "Types: deb\nURIs: https://node.example/node_20.x\nSuites: nodistro\n\n" +
      "Types: deb\n# a comment\nURIs: http://mirror.example/debian http://second.example/debian\nSuites: bookworm\n",
    mirrors: { ...ORIGINAL, archive: "http://mirror.example/debian" },
  },
  {
    name: "does not take what apt alone can resolve",
    text: "URIs: mirror+file:///etc/apt/mirrors/debian.list\n",
    mirrors: ORIGINAL,
  },
];

for (const { name, text, mirrors } of cases) {
  Deno.test(`mirrorsFromSources() ${name}`, () => deepStrictEqual(mirrorsFromSources(text), mirrors));
}
