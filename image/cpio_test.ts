import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { cpioArchive, parentFolders } from "./cpio.ts";

const text = (value: string) => new TextEncoder().encode(value);

Deno.test("cpioArchive() writes what the newc format says", () => {
  const archive = cpioArchive([
    { kind: "folder", path: "etc" },
    { kind: "file", path: "etc/a", data: text("hello"), executable: true },
    { kind: "link", path: "init", target: "usr/bin/monos" },
  ]);
  const zeros = (count: number) => "00000000".repeat(count);
  const expected = `07070100000001000041ed${zeros(2)}00000001${zeros(6)}00000004${zeros(1)}etc~~~` +
    `07070100000002000081ed${zeros(2)}00000001${zeros(1)}00000005${zeros(4)}00000006${zeros(1)}etc/a~hello~~~` +
    `070701000000030000a1ff${zeros(2)}00000001${zeros(1)}0000000d${zeros(4)}00000005${zeros(1)}init~~` +
    `usr/bin/monos~~~070701${zeros(4)}00000001${zeros(6)}0000000b${zeros(1)}TRAILER!!!~~~~`;
  strictEqual(new TextDecoder().decode(archive).replaceAll("\0", "~"), expected);
  strictEqual(archive.length % 4, 0);
});

Deno.test("parentFolders() lists outer folders first", () => {
  deepStrictEqual(parentFolders("usr/local/etc/x"), ["usr", "usr/local", "usr/local/etc"]);
  deepStrictEqual(parentFolders("init"), []);
});
