/** Every clause of the sections about the runtime is shown by a test, or says why it binds nobody. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RUNTIME_SECTIONS, runtimeClauseTable } from "../conformance/runtime_clauses.ts";
import { RUNTIME_TESTS } from "../conformance/runtime_suite.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

Deno.test("no clause of the sections about the runtime is without a test", () => {
  const table = runtimeClauseTable();
  const missing: string[] = [];
  for (const [section, [first, last]] of Object.entries(RUNTIME_SECTIONS)) {
    for (let number = first; number <= last; number++) {
      const entry = table.get(`${section}.${number}`);
      if (entry === undefined || entry.tests.length === 0 && entry.why === undefined) {
        missing.push(`${section}.${number}`);
      }
    }
  }
  deepStrictEqual(missing, []);
});

Deno.test("the tests that clauses of the runtime name exist", async () => {
  const names = new Set(RUNTIME_TESTS.map(({ name }) => name));
  for (const [clause, { tests }] of runtimeClauseTable()) {
    for (const [file, test] of tests) {
      const text = await Deno.readTextFile(join(ROOT, file));
      ok(names.has(test) || text.includes(test), `clause ${clause}: ${file} has no test "${test}"`);
    }
  }
});
