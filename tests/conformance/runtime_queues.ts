import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  defineQController,
  exclusive,
  qMapped,
  qMappedDestroyReady,
  qPrimary,
  removeFinalizer,
  RequeueError,
} from "../../mod/cosi/mod.ts";
import { at, idle, Ints, type RuntimeTest, Strs, Sums, until } from "./runtime_fixture.ts";

const STR_KIND = { namespace: Strs.namespace, type: Strs.type };

/** The rows of cosi.md 6.2 and 10-C about controllers that work through a queue. */
export const QUEUES: readonly RuntimeTest[] = [
  {
    name: "TestQIntToStrController: four at once, ends in order, hooks beside and after it",
    clauses: ["3.7", "3.9", "3.11", "3.17", "3.18", "3.21", "10.32"],
    async run(bed) {
      let hooks = 0, isShut = false;
      await bed.create(Ints, "before", { value: 0 });
      const runtime = bed.start([
        defineQController({
          name: "test.QIntToStr",
          inputs: [qPrimary(Ints), qMappedDestroyReady(Strs)],
          outputs: [exclusive(Strs), exclusive(Sums)],
          concurrency: 4,
          async reconcile(r, { id }) {
            const int = await r.get(Ints, id);
            if (int === undefined) return;
            if (int.metadata.phase === "running") {
              await r.addFinalizer(Ints, id);
              await r.modify(Strs, id, { text: String(int.spec.value) });
            } else if (await r.teardown(Strs, id)) {
              await r.destroy(Strs, id);
              await r.removeFinalizer(Ints, id);
            }
          },
          mapInput: (_r, { id }) => [{ namespace: Ints.namespace, type: Ints.type, id }],
          async runHook(r) {
            if (++hooks === 1) throw new Error("the first time");
            await r.modify(Sums, "hook", { value: hooks });
            await new Promise((resolve) => r.signal.addEventListener("abort", resolve, { once: true }));
          },
          shutdownHook: () => void (isShut = true),
        }),
      ]);
      await bed.text(Strs, "before", "0");
      for (let value = 1; value <= 10; value++) await bed.create(Ints, `${value}`, { value });
      for (let value = 1; value <= 10; value++) await bed.text(Strs, `${value}`, `${value}`);
      await bed.set(Ints, "1", { value: 11 });
      await bed.text(Strs, "1", "11");
      await addFinalizer(bed.state, at(Strs, "2"), "reader");
      for (const id of ["1", "2"]) await bed.state.teardown(at(Ints, id));
      await bed.unheld(Ints, "1");
      await bed.phase(Strs, "2");
      await removeFinalizer(bed.state, at(Strs, "2"), "reader");
      await bed.unheld(Ints, "2");
      await bed.int(Sums, "hook", 2);
      strictEqual((await idle(runtime)).queue.length, 0);
      await bed.stop();
      ok(isShut);
      deepStrictEqual((await bed.ids(STR_KIND)).length, 9);
    },
  },
  {
    name: "TestQFailingController: failing, panicking and requeueing objects do not hold up a good one",
    clauses: ["3.14", "3.15"],
    async run(bed) {
      const runtime = bed.start([
        defineQController({
          name: "test.QFailing",
          inputs: [qPrimary(Ints)],
          outputs: [exclusive(Strs)],
          reconcile(r, { id }) {
            return r.get(Ints, id).then((int) => {
              if (int === undefined) return;
              const { value } = int.spec;
              if (value === 1) return Promise.reject(new Error("rejected"));
              if (value === 2) (undefined as unknown as { panic(): void }).panic();
              if (value === 3) throw new RequeueError(1);
              if (value === 4) throw new RequeueError(1, { cause: new Error("again") });
              return r.modify(Strs, id, { text: String(value) }).then(() => {});
            });
          },
        }),
      ]);
      for (const value of [1, 2, 3, 4]) await bed.create(Ints, `bad ${value}`, { value });
      await bed.create(Ints, "good", { value: 5 });
      await bed.text(Strs, "good", "5");
      const of = (name: "qcontroller_crashes" | "qcontroller_requeues") =>
        runtime.metrics()[name].get("test.QFailing") ?? 0;
      await until(() => of("qcontroller_crashes") >= 6 && of("qcontroller_requeues") >= 3);
      for (const value of [1, 2, 3, 4]) await bed.set(Ints, `bad ${value}`, { value: value * 10 });
      for (const value of [1, 2, 3, 4]) await bed.text(Strs, `bad ${value}`, `${value * 10}`);
    },
  },
  {
    name: "TestQIntToStrSleepingController: one at a time; the end of its object wakes a sleeper",
    clauses: ["2.23", "3.8", "3.11"],
    async run(bed) {
      const asleep = Promise.withResolvers<void>();
      bed.start([
        defineQController({
          name: "test.QSleeping",
          inputs: [qPrimary(Ints)],
          outputs: [exclusive(Strs)],
          async reconcile(r, { id }) {
            const int = await r.get(Ints, id);
            if (int === undefined || int.metadata.phase !== "running") return;
            if (id === "a sleeper") {
              const end = await r.teardownSignal(Ints, id);
              asleep.resolve();
              if (!end.aborted) await new Promise((resolve) => end.addEventListener("abort", resolve, { once: true }));
              return;
            }
            await r.modify(Strs, id, { text: String(int.spec.value) });
          },
        }),
      ]);
      await bed.create(Ints, "a sleeper", { value: 0 });
      await asleep.promise;
      for (let value = 1; value <= 5; value++) await bed.create(Ints, `${value}`, { value });
      deepStrictEqual(await bed.ids(STR_KIND), []);
      await bed.state.teardown(at(Ints, "a sleeper"));
      for (let value = 1; value <= 5; value++) await bed.text(Strs, `${value}`, `${value}`);
    },
  },
  {
    name: "a key is never at work twice, and a change meanwhile makes one more run",
    clauses: ["3.11", "3.12", "10.26"],
    async run(bed) {
      const started = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
      let runs = 0, atWork = 0, most = 0;
      await bed.create(Ints, "a", { value: 0 });
      const runtime = bed.start([
        defineQController({
          name: "test.QBusy",
          inputs: [qPrimary(Ints)],
          outputs: [exclusive(Strs)],
          concurrency: 4,
          async reconcile(r, { id }) {
            runs++;
            most = Math.max(most, ++atWork);
            started.resolve();
            await release.promise;
            atWork--;
            await r.modify(Strs, id, { text: String((await r.getUncached(Ints, id))?.spec.value) });
          },
        }),
      ]);
      await started.promise;
      for (let value = 1; value <= 20; value++) await bed.set(Ints, "a", { value });
      await until(() => runtime.status()[0]?.queue.length === 1);
      release.resolve();
      await bed.text(Strs, "a", "20");
      await idle(runtime);
      strictEqual(most, 1);
      ok(runs <= 3, `${runs} runs`); // a remote watch may bring the last change later than the others
    },
  },
  {
    name: "a change comes before a requeue that is due later",
    clauses: ["3.13", "10.27"],
    async run(bed) {
      let runs = 0;
      await bed.create(Ints, "a", { value: 0 });
      const runtime = bed.start([
        defineQController({
          name: "test.QLater",
          inputs: [qPrimary(Ints)],
          outputs: [exclusive(Strs)],
          async reconcile(r, { id }) {
            runs++;
            const int = await r.get(Ints, id);
            if (int?.spec.value === 0) throw new RequeueError(60_000);
            await r.modify(Strs, id, { text: "changed" });
          },
        }),
      ]);
      await until(() => runs > 0 && runtime.status()[0]?.queue.length === 1);
      await bed.set(Ints, "a", { value: 1 });
      await bed.text(Strs, "a", "changed");
    },
  },
  {
    name: "mapInput may only name primary objects; that it does not is a failure of that one change",
    clauses: ["3.10", "3.16", "10.28"],
    async run(bed) {
      const runtime = bed.start([
        defineQController({
          name: "test.QMapper",
          inputs: [qPrimary(Ints), qMapped(Strs)],
          outputs: [exclusive(Sums)],
          async reconcile(r, { id }) {
            await r.modify(Sums, id, { value: (await r.list(Strs)).length });
          },
          mapInput: (_r, { id, namespace, labels }) => [{
            namespace,
            type: id === "wrong" ? Strs.type as never : Ints.type,
            id: labels.get("of") ?? id,
          }],
        }),
      ]);
      await bed.create(Ints, "a", { value: 0 });
      await bed.int(Sums, "a", 0);
      await bed.create(Strs, "wrong", { text: "" });
      await bed.create(Strs, "right", { text: "" }, { labels: new Map([["of", "a"]]) });
      await bed.int(Sums, "a", 2);
      await until(() => (runtime.metrics().qcontroller_crashes.get("test.QMapper") ?? 0) > 0);
      await bed.state.destroy(at(Strs, "right"));
      await bed.int(Sums, "a", 1);
      await bed.state.destroy(at(Strs, "wrong"));
    },
  },
];
