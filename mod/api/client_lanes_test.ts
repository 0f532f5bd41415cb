import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Client, credentials } from "@grpc/grpc-js";
import { ClientLanes } from "./client_lanes.ts";

/** Connections that are never made, in the order in which they were asked for. */
function lanes() {
  const made: Client[] = [];
  return {
    made,
    all: new ClientLanes(() => {
      const client = new Client("127.0.0.1:1", credentials.createInsecure());
      made.push(client);
      return client;
    }),
  };
}

Deno.test("ClientLanes keeps to one connection while streams end by themselves", () => {
  const { all, made } = lanes();
  using _ = all;
  for (let count = 0; count < 5000; count++) all.next().opened()("ended");
  strictEqual(made.length, 1);
});

Deno.test("ClientLanes puts no more streams on a connection than may be cancelled at once", () => {
  const { all, made } = lanes();
  using _ = all;
  const counts = new Map<Client, number>();
  for (let count = 0; count < 2500; count++) {
    const lane = all.next();
    lane.opened();
    counts.set(lane.client, (counts.get(lane.client) ?? 0) + 1);
  }
  strictEqual(made.length, 3);
  deepStrictEqual([...counts.values()], [900, 900, 700]);
});

Deno.test("ClientLanes takes another connection after many cancellations, and closes the one that is spent", () => {
  const { all, made } = lanes();
  using _ = all;
  for (let count = 0; count < 2000; count++) all.next().opened()("cancelled");
  ok(made.length === 2 || made.length === 3, `${made.length} connections`);
});
