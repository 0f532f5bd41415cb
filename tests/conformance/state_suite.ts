import type { State } from "../../mod/cosi/mod.ts";
import type { StateTest } from "./state_fixture.ts";
import { QUERIES } from "./state_queries.ts";
import { WATCH_STARTS } from "./state_watch_starts.ts";
import { WATCHES } from "./state_watches.ts";
import { WRITES } from "./state_writes.ts";

/** All rows that every implementation of `State` passes. */
export const STATE_TESTS: readonly StateTest[] = [...WRITES, ...QUERIES, ...WATCHES, ...WATCH_STARTS];

/** A state to test, and its end. */
export interface OpenState extends AsyncDisposable {
  readonly state: State;
}

/** Registers the whole suite for one implementation; each row opens a state of its own. */
export function testState(name: string, open: () => Promise<OpenState>): void {
  for (const test of STATE_TESTS) {
    Deno.test(`${name}: ${test.name} (${test.clauses.join(", ")})`, async () => {
      await using opened = await open();
      await test.run(opened.state);
    });
  }
}
