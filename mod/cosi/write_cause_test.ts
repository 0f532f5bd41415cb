import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { newResource, type WatchEvent } from "./mod.ts";
import { Ints } from "./runtime_testbed.ts";
import { CauseLog, PendingCause, type WriteCause } from "./write_cause.ts";

const kind = { namespace: "test", type: Ints.type };
const cause = (at: number): WriteCause => ({ controller: "c", at, reason: "start", objects: [], more: 0 });
const event = (id: string) =>
  ({ type: "updated", resource: newResource(Ints, id, { value: 1 }) }) as unknown as WatchEvent;

Deno.test("CauseLog remembers the last cause, of a bounded number of objects", () => {
  const log = new CauseLog();
  for (let id = 0; id < 100_000; id++) log.record(kind, `${id}`, cause(id));
  log.record(kind, "99998", cause(-1));
  strictEqual(log.find({ ...kind, id: "99998" })?.at, -1);
  strictEqual(log.find({ ...kind, id: "99999" })?.at, 99_999);
  strictEqual(log.find({ ...kind, id: "0" }), undefined);
  const entries = [...log.entries()];
  ok(entries.length >= 5000 && entries.length <= 10_000, `${entries.length}`);
  strictEqual(new Set(entries.map(([{ id }]) => id)).size, entries.length);
  log.forget(kind, "99999");
  strictEqual(log.find({ ...kind, id: "99999" }), undefined);
  strictEqual(log.find({ namespace: "other", type: "none", id: "x" }), undefined);
});

Deno.test("PendingCause keeps the first objects, counts the others, and prefers changes", () => {
  const pending = new PendingCause();
  pending.note("timer");
  pending.note("retry");
  strictEqual(pending.take("c").reason, "timer");
  pending.note("outside");
  pending.add(Array.from({ length: 6 }, (_, at) => event(`${at}`)));
  pending.note("timer");
  pending.add(Array.from({ length: 6 }, (_, at) => event(`${at + 6}`)));
  pending.add([event("x")]);
  const { reason, objects, more } = pending.take("c");
  deepStrictEqual({ reason, ids: objects.map(({ id }) => id).join(""), more }, {
    reason: "change",
    ids: "01234567",
    more: 5,
  });
  pending.note("request");
  deepStrictEqual(pending.take("c").objects, []);
});

Deno.test("PendingCause notes what a run reads that looks at what there is, but not what it wrote itself", () => {
  const pending = new PendingCause();
  const others = Array.from({ length: 6 }, (_, at) => newResource(Ints, `${at}`, { value: at }));
  const own = newResource(Ints, "own", { value: 1 }, { owner: "c" });
  pending.note("start");
  const start = pending.take("c");
  pending.read([own, ...others], "c");
  pending.read(others, "c");
  pending.read(Array.from({ length: 6 }, (_, at) => newResource(Ints, `${at + 6}`, { value: at })), "c");
  strictEqual(start.objects.map(({ id }) => id).join(""), "01234567");
  pending.add([event("x")]);
  const change = pending.take("c");
  pending.read(others, "c");
  deepStrictEqual([change.reason, change.objects.map(({ id }) => id)], ["change", ["x"]]);
});
