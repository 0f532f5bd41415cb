import { strictEqual, throws } from "node:assert/strict";
import { figureLine, percentile } from "./figure.ts";

Deno.test("figureLine() holds a figure against its budget from the right side", () => {
  const start = { name: "start", unit: "ms" };
  strictEqual(
    figureLine({ ...start, value: 149.6, budget: { value: 150, is: "most" } }),
    "start\t150 ms\tmost 150 ms\tmet",
  );
  strictEqual(
    figureLine({ ...start, value: 151, budget: { value: 150, is: "most" } }),
    "start\t151 ms\tmost 150 ms\tmissed",
  );
  strictEqual(
    figureLine({ ...start, value: 2.5, budget: { value: 3, is: "least" } }),
    "start\t2.50 ms\tleast 3 ms\tmissed",
  );
  strictEqual(figureLine({ ...start, value: 7 }), "start\t7 ms\t-\t-");
});

Deno.test("percentile() takes the sample at the share", () => {
  const samples = Array.from({ length: 200 }, (_, index) => 200 - index);
  strictEqual(percentile(samples, 0.99), 198);
  strictEqual(percentile(samples, 0.5), 100);
  strictEqual(percentile([7], 0.99), 7);
  throws(() => percentile([], 0.5), RangeError);
});
