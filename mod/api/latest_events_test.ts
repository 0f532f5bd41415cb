import { deepStrictEqual } from "node:assert/strict";
import { type EventType, makeResource, newMetadata, type WatchEvent } from "../cosi/mod.ts";
import { LatestEvents } from "./latest_events.ts";

const object = (id: string, version: bigint) =>
  makeResource(newMetadata({ namespace: "n", type: "Things.test.dev", id }, { version }), {});

function event(type: EventType, id: string, version: bigint): WatchEvent {
  const old = type === "updated" ? object(id, version - 1n) : undefined;
  return { type, resource: object(id, version), old, error: undefined, bookmark: new Uint8Array() };
}

Deno.test("LatestEvents folds what happened to each object, and tells of the end of what came and went", () => {
  const latest = new LatestEvents();
  latest.add(event("created", "new", 1n));
  latest.add(event("updated", "known", 7n));
  latest.add(event("created", "brief", 1n));
  latest.add(event("updated", "known", 8n));
  latest.add(event("updated", "going", 3n));
  latest.add(event("updated", "new", 2n));
  latest.add(event("destroyed", "brief", 1n));
  latest.add(event("destroyed", "going", 3n));
  const text = ({ type, resource: { metadata }, old }: WatchEvent) =>
    `${type} ${metadata.id}@${metadata.version} was ${old?.metadata.version}`;
  deepStrictEqual(latest.drain().map(text), [
    "updated known@8 was 6",
    "created new@2 was undefined",
    "destroyed brief@1 was undefined",
    "destroyed going@3 was undefined",
  ]);
  deepStrictEqual(latest.drain(), []);
});
