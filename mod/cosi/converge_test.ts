/** Whatever happens to inputs, outputs converge to them: random operations against chains of generic controllers. */
import { deepStrictEqual, ok } from "node:assert/strict";
import {
  addFinalizer,
  ConflictError,
  type Controller,
  defineDestroy,
  defineQTransform,
  defineTransform,
  FilteredState,
  MemoryState,
  newResource,
  NotFoundError,
  type QController,
  removeFinalizer,
  type ResourceDefinition,
  type RuntimeOptions,
  type State,
  updateWithConflicts,
  withSpec,
} from "./mod.ts";
import { at, Doubles, type Int, Ints, Running, Sums } from "./runtime_testbed.ts";

const KINDS = [Ints, Doubles, Sums].map(({ namespace, type }) => ({ namespace, type }));
const map = ({ spec }: { spec: Int }) => ({ spec: { value: spec.value + 1 } });
type Link = (name: string, from: ResourceDefinition<Int>, to: ResourceDefinition<Int>) => Controller | QController;
const loop: Link = (name, from, to) => defineTransform({ name, from, to, map, finalize: () => {} });
const queue: Link = (name, from, to) => defineQTransform({ name, from, to, map, concurrency: 3 });

const STATES: readonly [name: string, make: (inner: MemoryState) => State][] = [
  ["MemoryState", (inner) => inner],
  ["FilteredState", (inner) => new FilteredState(inner, () => {})],
];
const MODES: readonly [name: string, options: RuntimeOptions][] = [["plain", {}], ["cached", { cached: KINDS }]];
const CHAINS: readonly [name: string, first: Link, second: Link][] = [
  ["loops", loop, loop],
  ["queues", queue, queue],
  ["a queue after a loop", loop, queue],
];

/** One random thing that somebody does to an input; what does not fit then is refused and changes nothing. */
async function act(state: State, random: (below: number) => number): Promise<void> {
  const place = at(Ints.type, `${random(12)}`);
  const value = random(1000);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => state.create(newResource(Ints, place.id, { value })),
    () => updateWithConflicts(state, place, (now) => withSpec(now, { value }), { expectedPhase: "any" }),
    () => updateWithConflicts(state, place, (now) => withSpec(now, { value }), { expectedPhase: "any" }),
    () => state.teardown(place),
    () => state.teardown(at(Doubles.type, place.id), { owner: "test.First" }),
    () => state.teardown(at(Sums.type, place.id), { owner: "test.Second" }),
    () => addFinalizer(state, at(random(2) === 0 ? Doubles.type : Sums.type, place.id), "reader"),
    () => removeFinalizer(state, at(Doubles.type, place.id), "reader"),
    () => removeFinalizer(state, at(Sums.type, place.id), "reader"),
  ];
  try {
    await acts[random(acts.length)]?.();
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
  }
}

const values = async (state: State, type: string, add: number) =>
  Object.fromEntries(
    (await state.list({ namespace: "test", type })).filter(({ metadata }) => metadata.phase === "running")
      .map(({ metadata: { id }, spec }) => [id, (spec as Int).value + add]),
  );

async function isConverged(state: State): Promise<boolean> {
  const all = await Promise.all([
    values(state, Ints.type, 2),
    values(state, Doubles.type, 1),
    values(state, Sums.type, 0),
  ]);
  const [ints, doubles, sums] = all.map((found) => JSON.stringify(Object.entries(found).sort()));
  const counts = await Promise.all(KINDS.map(async (kind) => (await state.list(kind)).length));
  return ints === doubles && doubles === sums && counts.every((count) => count === Object.keys(all[0]).length);
}

for (const [stateName, make] of STATES) {
  for (const [mode, options] of MODES) {
    for (const [chain, first, second] of CHAINS) {
      Deno.test(`${chain} converge after random operations (${stateName}, ${mode})`, async () => {
        const inner = new MemoryState();
        const state = make(inner);
        let seed = 1 + Math.floor(Math.random() * 2 ** 30);
        const text = `seed ${seed}`;
        const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
        const controllers = [
          first("test.First", Ints, Doubles),
          second("test.Second", Doubles, Sums),
          defineDestroy(Ints),
        ];
        await using running = new Running(state, controllers, options);
        for (let step = 0; step < 1500; step++) {
          await act(inner, random);
          if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        for (
          const { metadata } of [...inner.listNow(KINDS[1] ?? at("", "")), ...inner.listNow(KINDS[2] ?? at("", ""))]
        ) {
          await removeFinalizer(inner, metadata, "reader").catch((error) => ok(error instanceof NotFoundError));
        }
        const end = performance.now() + 5000;
        while (!await isConverged(inner)) {
          if (performance.now() > end) {
            const found = Object.fromEntries(
              KINDS.map((kind) => [
                kind.type,
                inner.listNow(kind).map(({ metadata, spec }) =>
                  `${metadata.id}@${metadata.version} ${metadata.phase} ${metadata.finalizers} ${(spec as Int).value}`
                ),
              ]),
            );
            deepStrictEqual(found, { text, log: running.lines.slice(-10), status: running.runtime.status() });
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    }
  }
}
