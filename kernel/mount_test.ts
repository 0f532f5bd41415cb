import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { parseMountInfo, readMounts } from "./mount.ts";

Deno.test("parseMountInfo() knows tags, escapes and both option lists", () => {
  const text = [
    "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue",
    "37 36 0:5 / / ro - tmpfs none rw",
    "",
  ].join("\n");
  deepStrictEqual(parseMountInfo(text), [
    {
      ...{ id: 36, parentId: 35, device: "98:0", root: "/mnt1", target: "/mnt 2", options: ["rw", "noatime"] },
      ...{ tags: ["master:1", "shared:7"], type: "ext3", source: "/dev/root" },
      superOptions: ["rw", "errors=continue"],
    },
    {
      ...{ id: 37, parentId: 36, device: "0:5", root: "/", target: "/", options: ["ro"], tags: [], type: "tmpfs" },
      ...{ source: "none", superOptions: ["rw"] },
    },
  ]);
  throws(() => parseMountInfo("36 35 98:0 / / rw"), SyntaxError);
});

Deno.test("readMounts() finds the root", () => ok(readMounts().some((mount) => mount.target === "/")));
