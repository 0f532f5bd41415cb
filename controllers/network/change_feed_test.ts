import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ChangeFeed } from "./change_feed.ts";

Deno.test("ChangeFeed gives everything first, then each changed key once to each reader", () => {
  const feed = new ChangeFeed();
  const [one, two] = [feed.cursor(), feed.cursor()];
  strictEqual(one.take(), "all");
  feed.add("a");
  feed.add("b");
  feed.add("a");
  deepStrictEqual(one.take(), new Set(["a", "b"]));
  deepStrictEqual(one.take(), new Set());
  strictEqual(two.take(), "all");
  one.reset();
  strictEqual(one.take(), "all");
  feed.add("c");
  feed.addAll();
  deepStrictEqual([one.take(), two.take()], ["all", "all"]);
});

Deno.test("ChangeFeed wakes once a publication, and not without news", () => {
  const feed = new ChangeFeed();
  let wakes = 0;
  const subscription = feed.cursor().subscribe(() => wakes++);
  feed.publish();
  strictEqual(wakes, 0);
  feed.add("a");
  feed.add("b");
  feed.publish();
  feed.publish();
  strictEqual(wakes, 1);
  subscription[Symbol.dispose]();
  feed.add("c");
  feed.publish();
  strictEqual(wakes, 1);
});
