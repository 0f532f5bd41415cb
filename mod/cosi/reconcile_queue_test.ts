import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ReconcileQueue } from "./reconcile_queue.ts";

/** A queue of numbers and a promise that resolves at the next entry that gets ready. */
function open() {
  let ready = Promise.withResolvers<void>();
  const queue = new ReconcileQueue<number>(() => ready.resolve());
  return {
    queue,
    [Symbol.dispose]: () => queue.close(),
    async next() {
      await ready.promise;
      ready = Promise.withResolvers();
      return queue.take();
    },
  };
}

Deno.test("ReconcileQueue keeps one entry a key with its newest value, in the order of arrival", () => {
  using opened = open();
  const { queue } = opened;
  queue.put("a", 1);
  queue.put("b", 2);
  queue.put("a", 3);
  strictEqual(queue.length, 2);
  deepStrictEqual([queue.take(), queue.take(), queue.take()], [
    { key: "a", value: 3 },
    { key: "b", value: 2 },
    undefined,
  ]);
  strictEqual(queue.running, 2);
});

Deno.test("ReconcileQueue holds back what is at work, and runs it once more (3.12, 10.26)", () => {
  using opened = open();
  const { queue } = opened;
  queue.put("a", 1);
  queue.take();
  queue.put("a", 2);
  queue.put("a", 3);
  strictEqual(queue.take(), undefined);
  strictEqual(queue.length, 1);
  queue.release("a", 60_000);
  deepStrictEqual(queue.take(), { key: "a", value: 3 });
  queue.release("a");
  strictEqual(queue.length, 0);
  strictEqual(queue.take(), undefined);
});

Deno.test("ReconcileQueue moves a delayed entry to now when it is put (3.13, 10.27)", () => {
  using opened = open();
  const { queue } = opened;
  queue.put("a", 1);
  queue.take();
  queue.release("a", 60_000);
  strictEqual(queue.take(), undefined);
  strictEqual(queue.length, 1);
  queue.put("a", 2);
  deepStrictEqual(queue.take(), { key: "a", value: 2 });
  strictEqual(queue.take(), undefined);
});

Deno.test("ReconcileQueue hands out delayed entries by time", async () => {
  using opened = open();
  const { queue } = opened;
  const delays = [9, 1, 5, 3, 7];
  for (const delay of delays) queue.put(`${delay}`, delay);
  for (const _ of delays) queue.take();
  const start = performance.now();
  for (const delay of delays) queue.release(`${delay}`, delay);
  const order: number[] = [];
  while (order.length < delays.length) {
    for (let item = await opened.next(); item !== undefined; item = queue.take()) order.push(item.value);
  }
  deepStrictEqual(order, [1, 3, 5, 7, 9]);
  ok(performance.now() - start >= 9);
});

Deno.test("ReconcileQueue forgets when an entry was due that has run since", async () => {
  using opened = open();
  const { queue } = opened;
  queue.put("a", 1);
  queue.take();
  queue.release("a", 2);
  queue.put("a", 2);
  queue.take();
  const start = performance.now();
  queue.release("a", 40);
  while (await opened.next() === undefined);
  ok(performance.now() - start >= 39);
});

Deno.test("ReconcileQueue takes from long queues in order", () => {
  using opened = open();
  const { queue } = opened;
  for (let id = 0; id < 5000; id++) queue.put(`${id}`, id);
  for (let id = 0; id < 5000; id++) {
    strictEqual(queue.take()?.value, id);
    queue.release(`${id}`);
  }
  strictEqual(queue.length, 0);
});
