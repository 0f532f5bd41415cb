import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  AccessError,
  Backoff,
  defineController,
  exclusive,
  RegistrationError,
  shared,
  strong,
  weak,
} from "../../mod/cosi/mod.ts";
import { at, idle, Ints, loop, type RuntimeTest, Sentences, Strs, Sums, until } from "./runtime_fixture.ts";

/** The vectors of cosi.md 10-C about controllers that see all their objects at once. */
export const VECTORS: readonly RuntimeTest[] = [
  {
    name: "what was not declared is refused",
    clauses: ["3.20", "3.26", "10.21"],
    async run(bed) {
      const refused: boolean[] = [];
      const done = Promise.withResolvers<void>();
      bed.start([
        loop("test.Sneaky", [weak(Ints), weak(Strs, { id: "one" })], [exclusive(Sums)], async (r) => {
          for (
            const attempt of [
              () => r.get(Sentences, "x"),
              () => r.getUncached(Sentences, "x"),
              () => r.list(Strs),
              () => r.get(Strs, "two"),
              () => r.list(Ints, { namespace: "elsewhere" }),
              () => r.teardownSignal(Sentences, "x"),
              () => r.modify(Ints, "x", { value: 1 } as never),
              () => r.teardown(Ints, "x"),
              () => r.destroy(Ints, "x"),
              () => r.addFinalizer(Ints as never, "x"),
              () => r.removeFinalizer(Sums as never, "x"),
            ]
          ) await attempt().then(() => refused.push(false), (error) => refused.push(error instanceof AccessError));
          await r.get(Strs, "one");
          await r.list(Sums, { namespace: "anywhere" });
          done.resolve();
        }),
      ]);
      await done.promise;
      deepStrictEqual(refused, Array(11).fill(true));
    },
  },
  {
    name: "who may write a type is settled when controllers are registered",
    clauses: ["3.23", "3.24", "10.22"],
    run(bed) {
      const runtime = bed.start([]);
      const nothing = () => Promise.resolve();
      runtime.register(loop("a", [], [exclusive(Ints), shared(Strs)], nothing));
      runtime.register(loop("b", [], [shared(Strs)], nothing));
      for (
        const bad of [
          loop("a", [], [], nothing),
          loop("c", [], [exclusive(Ints)], nothing),
          loop("c", [], [shared(Ints)], nothing),
          loop("c", [], [exclusive(Sums), exclusive(Strs)], nothing),
          loop("c", [weak(Ints), strong(Ints)], [], nothing),
        ]
      ) throws(() => runtime.register(bad), RegistrationError);
      runtime.register(loop("c", [], [exclusive(Sums)], nothing));
      return Promise.resolve();
    },
  },
  {
    name: "100 changes while a controller is busy make at most one more run",
    clauses: ["3.3", "10.23"],
    async run(bed) {
      const started = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
      let runs = 0;
      const runtime = bed.start([
        loop("test.Busy", [weak(Ints)], [exclusive(Sums)], async (r) => {
          runs++;
          started.resolve();
          await release.promise;
          await r.modify(Sums, "count", { value: (await r.listUncached(Ints)).length } as never);
        }),
      ]);
      await started.promise;
      for (let id = 0; id < 100; id++) await bed.create(Ints, `${id}`, { value: id });
      await until(() => runtime.status()[0]?.wakeUps === 2);
      release.resolve();
      await bed.int(Sums, "count", 100);
      await idle(runtime);
      ok(runs <= 3, `${runs} runs`); // a remote watch may bring the last change later than the others
    },
  },
  {
    // Go ends a controller whose Run returns; here a run is one reconcile, and each change brings another.
    name: "a run that returned is followed by another at the next change, and by none without one",
    clauses: ["3.1", "10.24"],
    async run(bed) {
      let runs = 0;
      const runtime = bed.start([
        loop("test.Counting", [weak(Ints, { id: "a" })], [exclusive(Sums)], async (r) => {
          await r.modify(Sums, "runs", { value: ++runs } as never);
        }),
      ]);
      await bed.int(Sums, "runs", 1);
      await bed.create(Ints, "other", { value: 1 });
      await bed.create(Ints, "a", { value: 1 });
      await bed.int(Sums, "runs", 2);
      await idle(runtime);
      strictEqual(runs, 2);
    },
  },
  {
    name: "delays between tries grow to a minute and start anew after a success",
    clauses: ["3.6", "10.25"],
    run() {
      const backoff = new Backoff();
      const delays = Array.from({ length: 40 }, () => backoff.next());
      const [first = 0, last = 0] = [delays[0], delays.at(-1)];
      ok(first >= 250 && first <= 750, `${first}`);
      ok(last >= 30_000, `${last}`);
      ok(delays.every((delay) => delay <= 60_000));
      backoff.reset();
      ok(backoff.next() <= 750);
      return Promise.resolve();
    },
  },
  {
    name: "a controller that is woken sees at least what woke it",
    clauses: ["3.36", "3.37", "10.29"],
    async run(bed) {
      await bed.create(Ints, "before", { value: 1 });
      bed.start([
        loop("test.Copying", [weak(Ints)], [exclusive(Sums)], async (r) => {
          for (const { metadata: { id }, spec } of await r.list(Ints)) await r.modify(Sums, id, spec as never);
        }),
      ]);
      await bed.int(Sums, "before", 1);
      await bed.create(Ints, "a", { value: 0 });
      for (let value = 1; value <= 10; value++) {
        await bed.set(Ints, "a", { value });
        await bed.int(Sums, "a", value);
      }
    },
  },
  {
    name: "a clean-up leaves what others own alone",
    clauses: ["3.30", "10.30"],
    async run(bed) {
      let runs = 0;
      bed.start([
        defineController({
          name: "test.Tracking",
          inputs: [weak(Ints)],
          outputs: [shared(Sums)],
          async reconcile(r) {
            r.startTrackingOutputs();
            if (++runs === 1) await r.modify(Sums, "old", { value: runs });
            await r.modify(Sums, "kept", { value: runs });
            await r.cleanupOutputs(Sums);
          },
        }),
      ]);
      await bed.int(Sums, "kept", 1);
      await bed.create(Sums, "foreign", { value: 7 });
      await bed.create(Ints, "go", { value: 1 });
      await bed.gone(Sums, "old");
      await bed.int(Sums, "foreign", 7);
    },
  },
  {
    name: "inputs that come late wake, and those that left cannot be read",
    clauses: ["3.25", "10.31"],
    async run(bed) {
      let refusal: unknown;
      const runtime = bed.start([
        loop("test.Late", [weak(Strs)], [exclusive(Sums)], async (r) => {
          await r.updateInputs([weak(Ints)]);
          refusal ??= await r.list(Strs).then(() => "allowed", (error) => error);
          await r.modify(Sums, "count", { value: (await r.list(Ints)).length } as never);
        }),
      ]);
      await bed.int(Sums, "count", 0);
      await bed.create(Ints, "a", { value: 1 });
      await bed.int(Sums, "count", 1);
      ok(refusal instanceof AccessError);
      deepStrictEqual(runtime.dependencies().map(({ edge, type }) => `${edge} ${type}`), [
        `outputExclusive ${Sums.type}`,
        `inputWeak ${Ints.type}`,
      ]);
    },
  },
  {
    name: "run() returns after all that was under way",
    clauses: ["3.43", "10.32"],
    async run(bed) {
      const events: string[] = [];
      const started = Promise.withResolvers<void>();
      bed.start([
        defineController({
          name: "test.Slow",
          inputs: [],
          outputs: [],
          async reconcile(r) {
            started.resolve();
            await new Promise((resolve) => r.signal.addEventListener("abort", resolve, { once: true }));
            events.push("ran");
          },
          shutdown: () => void events.push("shut down"),
        }),
      ]);
      await started.promise;
      await bed.stop();
      deepStrictEqual(events, ["ran", "shut down"]);
    },
  },
  {
    name: "40 writes at 10 a second and 20 at once take two seconds, and do not slow others down",
    clauses: ["3.41", "10.33"],
    plainOnly: true,
    async run(bed) {
      const tookMs = new Map<string, number>();
      const writer = (name: string, output: typeof Ints | typeof Sums, count: number) =>
        loop(name, [], [exclusive(output)], async (r) => {
          const start = performance.now();
          for (let id = 0; id < count; id++) await r.modify(output, `${id}`, { value: id } as never);
          tookMs.set(name, performance.now() - start);
        });
      bed.start([writer("test.Busy", Ints, 40), writer("test.Quick", Sums, 15)], {
        rateLimit: { perSecond: 10, burst: 20 },
      });
      await until(() => tookMs.size === 2);
      const busy = tookMs.get("test.Busy") ?? 0, quick = tookMs.get("test.Quick") ?? 0;
      ok(busy > 1800 && busy < 3500, `${busy} ms`);
      ok(quick < 1000, `${quick} ms`);
      strictEqual((await bed.state.get(at(Ints, "39"))).metadata.version, 1n);
    },
  },
];
