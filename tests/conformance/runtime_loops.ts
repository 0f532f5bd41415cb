import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  defineController,
  destroyReady,
  exclusive,
  removeFinalizer,
  shared,
  strong,
  weak,
} from "../../mod/cosi/mod.ts";
import { at, idle, Ints, intToStr, type RuntimeTest, Sentences, Strs, summer, Sums, until } from "./runtime_fixture.ts";

/** The rows of cosi.md 6.2 about controllers that see all their objects at once. */
export const LOOPS: readonly RuntimeTest[] = [
  {
    name: "TestNoControllers: starts and stops empty",
    clauses: ["3.43"],
    async run(bed) {
      bed.start([]);
      await bed.stop();
    },
  },
  {
    name: "TestIntToStrControllers: what was there before and what comes, to the end of both",
    clauses: ["3.2", "3.4", "3.21", "3.27", "3.28"],
    async run(bed) {
      await bed.create(Ints, "one", { value: 1 });
      bed.start([intToStr()]);
      await bed.text(Strs, "one", "1");
      await bed.create(Ints, "two", { value: 2 });
      await bed.text(Strs, "two", "2");
      await bed.set(Ints, "two", { value: 22 });
      await bed.text(Strs, "two", "22");
      strictEqual((await bed.state.get(at(Strs, "two"))).metadata.owner, "test.IntToStrController");
      await addFinalizer(bed.state, at(Strs, "two"), "reader");
      strictEqual(await bed.state.teardown(at(Ints, "two")), false);
      await bed.phase(Strs, "two");
      await removeFinalizer(bed.state, at(Strs, "two"), "reader");
      await bed.unheld(Ints, "two");
      await bed.gone(Strs, "two");
      await bed.state.destroy(at(Ints, "two"));
      await bed.text(Strs, "one", "1");
    },
  },
  {
    name: "TestIntToStrToSentenceControllers: a chain whose second link sets its inputs when it runs",
    clauses: ["3.25", "3.21", "10.31"],
    async run(bed) {
      const sentences = defineController({
        name: "test.SentenceController",
        inputs: [strong(Strs), destroyReady(Sentences)],
        outputs: [exclusive(Sentences)],
        async reconcile(r) {
          if ((await r.list(Sentences)).length === 0) await r.updateInputs([strong(Strs), destroyReady(Sentences)]);
          for (const { metadata: { id, phase, finalizers }, spec } of await r.list(Strs)) {
            if (phase === "running") {
              await r.addFinalizer(Strs, id);
              await r.modify(Sentences, id, { text: `${spec.text} sentence` }, { labels: new Map([["of", id]]) });
            } else if (finalizers.includes("test.SentenceController") && await r.teardown(Sentences, id)) {
              await r.destroy(Sentences, id);
              await r.removeFinalizer(Strs, id);
            }
          }
        },
      });
      bed.start([intToStr(), sentences]);
      await bed.create(Ints, "one", { value: 1 });
      await bed.text(Sentences, "one", "1 sentence");
      strictEqual((await bed.state.get(at(Sentences, "one"))).metadata.labels.get("of"), "one");
      await bed.set(Ints, "one", { value: 2 });
      await bed.text(Sentences, "one", "2 sentence");
      await bed.state.teardown(at(Ints, "one"));
      await bed.unheld(Ints, "one");
      await bed.gone(Strs, "one");
      await bed.gone(Sentences, "one");
    },
  },
  {
    name: "TestSumControllers: many to one, and nothing to zero",
    clauses: ["3.3", "3.21"],
    async run(bed) {
      bed.start([summer("test.SumController", "default", exclusive(Sums), "sum")]);
      await bed.int(Sums, "sum", 0);
      for (const value of [1, 2, 3]) await bed.create(Ints, `${value}`, { value });
      await bed.int(Sums, "sum", 6);
      await bed.state.destroy(at(Ints, "2"));
      await bed.int(Sums, "sum", 4);
    },
  },
  {
    name: "TestSumControllersFiltered: only what a label query finds",
    clauses: ["2.56"],
    async run(bed) {
      const labels = [[{ key: "app", op: "equal", values: ["x"], invert: false }]];
      bed.start([summer("test.SumController", "default", exclusive(Sums), "sum", { labels })]);
      await bed.create(Ints, "in", { value: 1 }, { labels: new Map([["app", "x"]]) });
      await bed.create(Ints, "out", { value: 2 }, { labels: new Map([["app", "y"]]) });
      await bed.create(Ints, "in 2", { value: 4 }, { labels: new Map([["app", "x"]]) });
      await bed.int(Sums, "sum", 5);
    },
  },
  {
    name: "TestCascadingSumControllers: registered while it runs, on what two others share",
    clauses: ["3.23", "3.43"],
    async run(bed) {
      const runtime = bed.start([]);
      const part = (id: string) => summer(`test.Part${id}`, `in ${id}`, shared(Ints), id);
      for (const id of ["a", "b"]) runtime.register(part(id));
      runtime.register(summer("test.Total", "default", exclusive(Sums), "total"));
      await bed.create(Ints, "1", { value: 1 }, { namespace: "in a" });
      await bed.create(Ints, "2", { value: 2 }, { namespace: "in b" });
      await bed.create(Ints, "3", { value: 3 }, { namespace: "in b" });
      await bed.int(Sums, "total", 6);
      await bed.state.destroy(at(Ints, "3", "in b"));
      await bed.int(Sums, "total", 3);
    },
  },
  ...["rejects", "throws"].map((way): RuntimeTest => ({
    name: `${way === "throws" ? "TestPanickingController" : "TestFailingController"}: one that ${way} is tried again`,
    clauses: ["3.5", "3.6"],
    async run(bed) {
      let tries = 0;
      const runtime = bed.start([
        defineController({
          name: "test.FailingController",
          inputs: [],
          outputs: [exclusive(Sums)],
          reconcile(r) {
            tries++;
            if (tries % 2 === 1 && way === "throws") throw new Error("not now");
            if (tries % 2 === 1) return Promise.reject(new Error("not now"));
            return r.modify(Sums, `${tries}`, { value: tries }).then(() => {
              if (tries < 4) r.queueReconcile();
            });
          },
        }),
      ]);
      await bed.int(Sums, "2", 2);
      await bed.int(Sums, "4", 4);
      const status = await idle(runtime);
      deepStrictEqual([status.runs, status.restarts, status.lastError, status.failures], [4, 2, "not now", 0]);
    },
  })),
  {
    name: "TestIntDoublerController: what a run does not write again is destroyed",
    clauses: ["3.29", "3.30"],
    async run(bed) {
      bed.start([
        defineController({
          name: "test.IntDoubler",
          inputs: [weak(Ints)],
          outputs: [exclusive(Sums)],
          async reconcile(r) {
            r.startTrackingOutputs();
            for (const { metadata: { id }, spec } of await r.list(Ints)) {
              await r.modify(Sums, id, { value: spec.value * 2 });
            }
            await r.cleanupOutputs(Sums);
          },
        }),
      ]);
      for (const value of [1, 2]) await bed.create(Ints, `${value}`, { value });
      await bed.int(Sums, "1", 2);
      await bed.int(Sums, "2", 4);
      await bed.state.destroy(at(Ints, "1"));
      await bed.gone(Sums, "1");
      await bed.int(Sums, "2", 4);
    },
  },
  {
    name: "TestModifyWithResultController: modify answers with what is stored",
    clauses: ["2.18", "3.28"],
    async run(bed) {
      const results: string[] = [];
      bed.start([
        defineController({
          name: "test.Results",
          inputs: [weak(Ints)],
          outputs: [exclusive(Strs)],
          async reconcile(r) {
            for (const { metadata: { id }, spec } of await r.list(Ints)) {
              const { metadata, spec: stored } = await r.modify(Strs, id, { text: String(spec.value) });
              results.push(`${stored.text}@${metadata.version} ${metadata.owner}`);
            }
          },
        }),
      ]);
      await bed.create(Ints, "one", { value: 1 });
      await bed.text(Strs, "one", "1");
      await bed.set(Ints, "one", { value: 2 });
      await bed.text(Strs, "one", "2");
      await until(() => results.includes("2@2 test.Results"));
      ok(results.includes("1@1 test.Results"));
    },
  },
  {
    name: "TestControllerRuntimeMetrics: wake-ups, reads, writes and failures are counted",
    clauses: ["3.42", "3.35"],
    async run(bed) {
      let tries = 0;
      const runtime = bed.start([
        defineController({
          name: "test.Metered",
          inputs: [weak(Ints)],
          outputs: [exclusive(Sums)],
          async reconcile(r) {
            const ints = await r.list(Ints);
            if (++tries === 2) throw new Error("once");
            await r.modify(Sums, "count", { value: ints.length });
          },
        }),
      ]);
      const of = (name: "controller_wakeups" | "controller_reads" | "controller_writes" | "controller_crashes") =>
        runtime.metrics()[name].get("test.Metered");
      await bed.int(Sums, "count", 0);
      const { reads } = await idle(runtime);
      deepStrictEqual([of("controller_wakeups"), of("controller_writes"), of("controller_crashes")], [1, 1, 0]);
      await bed.create(Ints, "one", { value: 1 });
      await bed.int(Sums, "count", 1);
      await idle(runtime);
      // the change, and the try after the failure
      deepStrictEqual([of("controller_wakeups"), of("controller_writes"), of("controller_crashes")], [3, 2, 1]);
      const isCached = reads === 1; // only that of modify
      strictEqual(of("controller_reads"), isCached ? 2 : 5);
    },
  },
];
