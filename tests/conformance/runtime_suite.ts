import type { RuntimeOptions } from "../../mod/cosi/mod.ts";
import { RUNTIME_DEFINITIONS, RuntimeBed, type RuntimeTest } from "./runtime_fixture.ts";
import { LOOPS } from "./runtime_loops.ts";
import { QUEUES } from "./runtime_queues.ts";
import { VECTORS } from "./runtime_vectors.ts";
import type { OpenState } from "./state_suite.ts";

export { RUNTIME_DEFINITIONS };

/** All rows that a runtime passes on every implementation of `State`: those of cosi.md 6.2 and the vectors of 10-C. */
export const RUNTIME_TESTS: readonly RuntimeTest[] = [...LOOPS, ...QUEUES, ...VECTORS];

/** How the runtime of the suite is set up. */
export const RUNTIME_MODES: Readonly<Record<string, RuntimeOptions>> = {
  plain: {},
  "rate limited": { rateLimit: { perSecond: 500, burst: 20 } },
  cached: { cached: RUNTIME_DEFINITIONS },
};

/** Registers the whole suite for one implementation, in each mode; each row opens a state of its own. */
export function testRuntime(name: string, open: () => Promise<OpenState>): void {
  for (const [mode, options] of Object.entries(RUNTIME_MODES)) {
    for (const test of RUNTIME_TESTS) {
      if (test.plainOnly && mode !== "plain") continue;
      Deno.test(`${name}, ${mode}: ${test.name} (${test.clauses.join(", ")})`, async () => {
        await using opened = await open();
        await using bed = new RuntimeBed(opened.state, options);
        await test.run(bed);
      });
    }
  }
}
