import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { EventBus, type EventQuery, type MachineEvent } from "./event_bus.ts";
import { newXid } from "./xid.ts";

function busOf(count: number, capacity = 1000): { bus: EventBus; events: MachineEvent[] } {
  const bus = new EventBus(capacity);
  const events = Array.from(
    { length: count },
    (_, n) => bus.publish({ kind: "task", task: String(n), action: "start" }, n % 2 === 0 ? "even" : "odd"),
  );
  return { bus, events };
}
const tasks = (events: MachineEvent[]) =>
  events.map(({ payload }) => payload.kind === "task" ? payload.task : payload.kind);

const cases: { name: string; query: EventQuery; tasks: string[] }[] = [
  { name: "nothing of the past by default", query: {}, tasks: [] },
  { name: "all that are kept", query: { tailEvents: -1 }, tasks: ["2", "3", "4", "5"] },
  { name: "the last ones", query: { tailEvents: 2 }, tasks: ["4", "5"] },
  { name: "more than there are", query: { tailEvents: 9 }, tasks: ["2", "3", "4", "5"] },
  { name: "those of an actor", query: { tailEvents: 2, actorId: "odd" }, tasks: ["3", "5"] },
  { name: "those of the last minute", query: { tailSeconds: 60 }, tasks: ["2", "3", "4", "5"] },
];
for (const { name, query, tasks: expected } of cases) {
  Deno.test(`EventBus.list() gives ${name}`, () => deepStrictEqual(tasks(busOf(6, 4).bus.list(query)), expected));
}

Deno.test("EventBus.list() gives what came after an id", () => {
  const { bus, events } = busOf(6);
  deepStrictEqual(tasks(bus.list({ tailId: events[3]?.id ?? "" })), ["4", "5"]);
  deepStrictEqual(tasks(bus.list({ tailId: newXid() })), []);
});

Deno.test("EventBus.follow() goes on with new events and leaves out what it was too slow for", async () => {
  const { bus } = busOf(2, 4);
  const stop = new AbortController();
  const reader = bus.follow({ tailEvents: 1 }, stop.signal);
  const task = async () => tasks([(await reader.next()).value as MachineEvent])[0];
  strictEqual(await task(), "1");
  const next = task();
  for (let n = 2; n < 9; n++) bus.publish({ kind: "task", task: String(n), action: "stop" });
  strictEqual(await next, "5");
  for (const n of ["6", "7", "8"]) strictEqual(await task(), n);
  const end = reader.next();
  stop.abort();
  strictEqual((await end).done, true);
});

Deno.test("newXid() sorts by time, also when the clock is set back", () => {
  const now = Date.now() + 100_000;
  const ids = [newXid(now), newXid(now), newXid(now - 5000), newXid(now + 1000)];
  deepStrictEqual(ids, ids.toSorted());
  strictEqual(new Set(ids).size, 4);
  for (const id of ids) ok(/^[0-9a-v]{20}$/.test(id), id);
});
