import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { KindCache } from "./kind_cache.ts";
import { changeMetadata } from "./metadata_edit.ts";
import { type EventType, newResource, type Resource, type WatchEvent } from "./mod.ts";
import { Ints } from "./runtime_testbed.ts";

const signal = new AbortController().signal;
const made = newResource(Ints, "a", { value: 1 });
const version = (version: bigint, resource: Resource = made) => ({
  metadata: changeMetadata(resource.metadata, { version }),
  spec: resource.spec,
});
const event = (type: EventType, resource: Resource): WatchEvent => ({
  ...{ type, resource, old: undefined, error: undefined, bookmark: undefined },
});
const end = event("bootstrapped", newResource(Ints, "", { value: 0 }));
const pointer = made.metadata;

Deno.test("KindCache knows of writes that the contents of a new watch may be too old for (9.14)", () => {
  const cache = new KindCache();
  cache.restart();
  cache.wrote(pointer, version(2n).metadata);
  deepStrictEqual(cache.apply([event("created", version(1n)), end]), []);
  ok(cache.isBehind("a"));
  cache.apply([event("updated", version(2n))]);
  ok(!cache.isBehind("a"));
  cache.restart(); // the watch broke
  cache.wrote(pointer, undefined);
  cache.apply([event("created", version(2n)), end]);
  ok(cache.isBehind("a"));
  cache.apply([event("destroyed", version(2n))]);
  ok(!cache.isBehind("a"));
  cache.restart();
  cache.wrote(pointer, undefined); // of what it never heard of
  cache.apply([event("created", version(3n)), end]);
  ok(cache.isBehind("a"));
  cache.restart();
  cache.wrote(pointer, version(1n).metadata);
  cache.apply([event("created", version(3n)), end]);
  ok(!cache.isBehind("a"));
});

Deno.test("KindCache remembers no writes of a kind that nobody reads", () => {
  const cache = new KindCache();
  cache.wrote(pointer, version(1n).metadata);
  ok(!cache.isBehind("a"));
});

Deno.test("KindCache settles by a list what its watch does not tell", async () => {
  const cache = new KindCache();
  cache.restart();
  cache.apply([event("created", version(4n)), end]);
  cache.wrote(pointer, undefined); // somebody made it anew, and the watch told of that before the destroy was answered
  let reads = 0;
  const readAll = () => Promise.resolve([version(++reads > 0 ? 4n : 0n)]);
  strictEqual((await cache.list({}, signal, readAll)).length, 1);
  ok(!cache.isBehind("a"));
  strictEqual((await cache.list({}, signal, readAll)).length, 1);
  strictEqual(reads, 1);
});
