/** Every clause of the sections about the state is shown by a test, or says why it binds nobody. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clauseTable, SECTIONS } from "../conformance/state_clauses.ts";
import { STATE_TESTS } from "../conformance/state_suite.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

Deno.test("no clause of the sections about the state is without a test", () => {
  const table = clauseTable();
  const missing: string[] = [];
  for (const [section, count] of Object.entries(SECTIONS)) {
    for (let number = 1; number <= count; number++) {
      const entry = table.get(`${section}.${number}`);
      if (entry === undefined || entry.tests.length === 0 && entry.why === undefined) {
        missing.push(`${section}.${number}`);
      }
    }
  }
  deepStrictEqual(missing, []);
});

Deno.test("the tests that clauses name exist", async () => {
  const names = new Set(STATE_TESTS.map(({ name }) => name));
  for (const [clause, { tests }] of clauseTable()) {
    for (const [file, test] of tests) {
      const text = await Deno.readTextFile(join(ROOT, file));
      ok(names.has(test) || text.includes(test), `clause ${clause}: ${file} has no test "${test}"`);
    }
  }
});
