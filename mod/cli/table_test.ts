import { strictEqual } from "node:assert/strict";
import { formatTable } from "./table.ts";

Deno.test("formatTable() aligns all columns but the last", () => {
  strictEqual(formatTable([["A", "LONG", "C"], ["ünï", "x", "yy"]]), "A     LONG   C\nünï   x      yy\n");
  strictEqual(formatTable([]), "");
});
