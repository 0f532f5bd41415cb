import { deepStrictEqual, ok } from "node:assert/strict";
import { watchHealth } from "./health.ts";

/** The results that are told, until there are `count`. */
async function results(check: () => Promise<void>, count: number, initialDelayMs: number): Promise<unknown[]> {
  const told: unknown[] = [];
  const stop = new AbortController();
  const report = (failure: string | undefined) => {
    if (told.push(failure) === count) stop.abort();
  };
  await watchHealth({ check, initialDelayMs, periodMs: 1 }, report, stop.signal);
  return told;
}

Deno.test("watchHealth() says nothing about failures of a service that is still starting", async () => {
  let left = 3;
  const check = () => left-- > 0 ? Promise.reject(new Error("not yet")) : Promise.resolve();
  deepStrictEqual(await results(check, 2, 60_000), [undefined, undefined]);
});

Deno.test("watchHealth() tells the reason once the service had its time", async () => {
  deepStrictEqual(await results(() => Promise.reject(new Error("broken")), 2, 0), ["broken", "broken"]);
});

Deno.test("watchHealth() knows of a service within half again of the time it took to come up", async () => {
  const started = performance.now();
  const check = () => performance.now() - started < 100 ? Promise.reject(new Error("not yet")) : Promise.resolve();
  const stop = new AbortController();
  await watchHealth({ check }, () => stop.abort(), stop.signal);
  ok(performance.now() - started < 1000);
});
