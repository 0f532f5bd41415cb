/** Speed of resources, state and runtime. */
import {
  defineQTransform,
  defineResource,
  defineTransform,
  encodeSpec,
  isResourceEqual,
  loadPatterns,
  MemoryState,
  newMetadata,
  newResource,
  openSqliteState,
  type Resource,
  type ResourceDefinition,
  Runtime,
  specYaml,
  type Wanted,
  watchFor,
  withSpec,
} from "../../mod/cosi/mod.ts";
import { syncOutputs } from "../../mod/cosi/output_sync.ts";
import { field } from "../../mod/schema/mod.ts";
import { type Bench, type Figure, figureLine, percentile } from "./figure.ts";

interface Thing {
  readonly text: string;
  readonly count: number;
  readonly list: readonly string[];
}
const KIND = { namespace: "bench", type: "Things.bench.dev" };
const Things = defineResource<Thing>()({
  ...KIND,
  fields: { text: field.string(1), count: field.int32(2), list: field.list(3, field.string()) },
});
const EMPTY = {};
const LABELS = new Map([["app", "bench"]]);
const pointer = (id: string) => ({ ...KIND, id });
const empty = (id: string): Resource => ({ metadata: newMetadata(pointer(id), { labels: LABELS }), spec: EMPTY });
const thing = (id: string, count: number): Resource<Thing> =>
  newResource(Things, id, { text: "some text of a usual length", count, list: ["one", "two"] });

/** Runs in a process of its own, because only one that was started so can collect garbage when it wants to. */
const MEMORY = "memory";

function figure(name: string, value: number, unit: string, is?: "most" | "least", budget?: number): Figure {
  return { name, value, unit, ...(is === undefined || budget === undefined ? {} : { budget: { value: budget, is } }) };
}

/** Milliseconds of the best of some runs; the first ones warm the compiler up. */
async function best(run: () => Promise<void> | void, turns = 4): Promise<number> {
  let least = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    const start = performance.now();
    await run();
    least = Math.min(least, performance.now() - start);
    await nextTurn();
  }
  return least;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function* benchWrites(): AsyncIterable<Figure> {
  const count = 200_000;
  const ids = Array.from({ length: count }, (_, at) => `object-${at}`);
  const creating = await best(async () => {
    const state = new MemoryState();
    for (const id of ids) await state.create(empty(id));
  });
  yield figure("create", count / creating / 1000, "M/s", "least", 2);
  const state = new MemoryState();
  const pointers = Array.from({ length: 1000 }, (_, at) => pointer(`object-${at}`));
  for (const { id } of pointers) state.createNow(thing(id, 0));
  const bare = await best(async () => {
    for (let turn = 0; turn < count / pointers.length; turn++) {
      for (const place of pointers) {
        const { metadata } = await state.get(place);
        await state.update({ metadata, spec: EMPTY });
      }
    }
  });
  yield figure("get+update", count / bare / 1000, "M/s", "least", 2.4);
  const filled = await best(async () => {
    for (let turn = 0; turn < count / pointers.length; turn++) {
      for (const place of pointers) {
        const current = await state.get(place) as Resource<Thing>;
        await state.update(withSpec(current, { text: "text", count: turn, list: ["one", "two"] }));
      }
    }
  });
  yield figure("get+update, spec of three fields", count / filled / 1000, "M/s");
}

async function* benchList(): AsyncIterable<Figure> {
  const state = new MemoryState();
  const count = 100_000;
  for (let at = 0; at < count; at++) state.createNow(empty(`object-${(at * 7919) % count}`));
  const first = await best(() => void state.listNow(KIND), 1);
  yield figure("list 100,000, first", first, "ms");
  const app = { key: "app", op: "equal", values: ["bench"], invert: false } as const;
  const touched = await best(() => {
    state.updateNow(state.getNow(pointer("object-5")));
    state.listNow(KIND);
  });
  yield figure("list 100,000 after an update", touched, "ms", "most", 10);
  let made = 0;
  const grown = await best(() => {
    state.createNow(empty(`object-new-${made++}`));
    state.listNow(KIND);
  });
  yield figure("list 100,000 after a create", grown, "ms", "most", 10);
  yield figure("list 100,000 by label", await best(() => void state.listNow(KIND, { labels: [[app]] })), "ms");
  await loadPatterns({ id: "x" });
  yield figure("list 100,000 by id", await best(() => void state.listNow(KIND, { id: "^object-1.*7$" })), "ms");
}

/** Bytes of heap for one object with one label and an empty spec. */
function memoryAnObject(gc: () => void): number {
  const count = 100_000;
  const state = new MemoryState();
  gc();
  const before = Deno.memoryUsage().heapUsed;
  for (let at = 0; at < count; at++) {
    const labels = new Map([["app", `${at}`]]);
    state.createNow({ metadata: newMetadata(pointer(`object-${at}`), { labels }), spec: {} });
  }
  gc();
  const used = Deno.memoryUsage().heapUsed - before;
  state.listNow(KIND);
  return used / count;
}

async function* benchMemory(): AsyncIterable<Figure> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--v8-flags=--expose-gc", import.meta.filename ?? "", MEMORY],
  }).output();
  if (!success) throw new Error(`Cannot measure memory: ${new TextDecoder().decode(stderr)}`);
  yield figure("memory an object", Number(new TextDecoder().decode(stdout)), "bytes", "most", 590);
}

async function* benchFanOut(): AsyncIterable<Figure> {
  const state = new MemoryState();
  const watchers = 100, writes = 200_000;
  state.createNow(empty("a"));
  let seen = 0, overrun = 0;
  const watches = Array.from({ length: watchers }, () => state.watchKindNow(KIND));
  const readers = watches.map(async (watch) => {
    for await (const events of watch) {
      for (const event of events) {
        if (event.type === "errored") overrun++;
        else seen++;
      }
    }
  });
  const start = performance.now();
  for (let at = 0; at < writes; at++) await state.update(state.getNow(pointer("a")));
  while (seen < writes * watchers && overrun === 0) await nextTurn();
  yield figure("fan-out to 100 watchers", seen / (performance.now() - start) / 1000, "M events/s", "least", 50);
  yield figure("fan-out watchers overrun", overrun, "watchers", "most", 0);
  for (const watch of watches) watch[Symbol.dispose]();
  await Promise.all(readers);
}

async function* benchSync(): AsyncIterable<Figure> {
  const state = new MemoryState();
  const wanted = (shift: number): Wanted<Thing>[] =>
    Array.from({ length: 100_000 }, (_, at) => ({ id: `${at}`, spec: thing("", at + shift).spec }));
  for (
    const [name, items] of [["new", wanted(0)], ["equal", wanted(0)], ["changed", wanted(1)], ["gone", []]] as const
  ) {
    const taken = await best(async () => void await syncOutputs(state, KIND, "owner", items), 1);
    yield figure(`sync 100,000 ${name}`, taken, "ms");
  }
}

function step(name: string): ResourceDefinition<{ count: number }> {
  return defineResource<{ count: number }>()({
    type: `${name}s.bench.dev`,
    namespace: KIND.namespace,
    fields: { count: field.int32(1) },
  });
}

async function* benchChain(): AsyncIterable<Figure> {
  const state = new MemoryState();
  const runtime = new Runtime(state);
  const first = step("Step0");
  let last = first;
  for (let at = 1; at <= 10; at++) {
    const from = last, to = step(`Step${at}`);
    runtime.register(defineTransform({ name: `bench.Step${at}Controller`, from, to, map: ({ spec }) => ({ spec }) }));
    last = to;
  }
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  state.createNow(newResource(first, "x", { count: -1 }));
  const times: number[] = [];
  for (let count = 0; count < 1000; count++) {
    const start = performance.now();
    state.updateNow(withSpec(state.getNow({ ...KIND, type: first.type, id: "x" }), { count }));
    await watchFor(state, { ...KIND, type: last.type, id: "x" }, {
      condition: ({ spec }) => (spec as { count?: number }).count === count,
    });
    if (count >= 200) times.push(performance.now() - start);
    if (count % 10 === 0) await nextTurn();
  }
  yield figure("chain of 10 transforms, p50", percentile(times, 0.5), "ms");
  yield figure("chain of 10 transforms, p99", percentile(times, 0.99), "ms", "most", 1);
  stop.abort();
  await running;
}

async function* benchQueue(): AsyncIterable<Figure> {
  const count = 100_000;
  for (const concurrency of [1, 16]) {
    const state = new MemoryState();
    const runtime = new Runtime(state);
    const from = step("From"), to = step("To");
    const map = ({ spec }: Resource<{ count: number }>) => ({ spec });
    runtime.register(defineQTransform({ name: "bench.Queue", from, to, concurrency, map }));
    for (let at = 0; at < count; at++) state.createNow(newResource(from, `${at}`, { count: at }));
    const stop = new AbortController();
    const start = performance.now();
    const running = runtime.run(stop.signal);
    while ((runtime.status()[0]?.runs ?? 0) < count) await nextTurn();
    const rate = count / (performance.now() - start);
    yield figure(`queue of 100,000 transforms, ${concurrency} at once`, rate, "k/s");
    stop.abort();
    await running;
  }
}

async function* benchRegister(): AsyncIterable<Figure> {
  const runtime = new Runtime(new MemoryState());
  const start = performance.now();
  for (let at = 0; at < 5000; at++) {
    const from = step(`In${at}`), to = step(`Out${at}`);
    runtime.register(defineTransform({ name: `bench.C${at}`, from, to, map: ({ spec }) => ({ spec }) }));
  }
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  while (runtime.status().some(({ runs }) => runs === 0)) await nextTurn();
  yield figure("5,000 controllers registered and run once", performance.now() - start, "ms", "most", 1000);
  stop.abort();
  await running;
}

async function* benchForms(): AsyncIterable<Figure> {
  const count = 100_000;
  const things = Array.from({ length: count }, (_, at) => thing(`${at}`, at));
  const encoding = await best(() => {
    for (const { metadata, spec } of things) encodeSpec({ metadata, spec }, Things);
  });
  yield figure("encode protobuf", count / encoding / 1000, "M/s");
  const copies = things.map(({ metadata, spec }) => ({ metadata, spec: { ...spec, list: [...spec.list] } }));
  const comparing = await best(() => {
    let at = 0;
    for (const copy of copies) isResourceEqual(copy, things[at++] as Resource);
  });
  yield figure("resource equality", count / comparing / 1000, "M/s");
  const few = things.slice(0, 2000);
  const rendering = await best(() => {
    for (const { metadata, spec } of few) specYaml({ metadata, spec }, Things);
  });
  yield figure("encode YAML", few.length / rendering, "k/s");
}

/** Writers that each wait for the answer before they go on, on the disk that temporary files are on. */
async function* benchStore(): AsyncIterable<Figure> {
  const folder = await Deno.makeTempDir();
  const options = { path: `${folder}/state.db`, definitions: [Things] };
  try {
    let made = 0;
    for (const writers of [1, 64, 512]) {
      await using state = await openSqliteState(options);
      const start = performance.now(), before = made;
      const write = async () => {
        while (performance.now() - start < 1500) await state.create(thing(`${made++}`, 1));
      };
      await Promise.all(Array.from({ length: writers }, write));
      const rate = (made - before) / (performance.now() - start);
      const name = `acknowledged writes, ${writers} ${writers === 1 ? "writer" : "writers"}`;
      yield writers === 1 ? figure(name, rate, "k/s") : figure(name, rate, "k/s", "least", 20);
    }
    const start = performance.now();
    await using _ = await openSqliteState(options);
    yield figure("open a store, time for 100,000 objects", (performance.now() - start) * 100_000 / made, "ms");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export const bench: Bench = {
  name: "cosi",
  async *run() {
    for (
      const part of [
        ...[benchWrites, benchList, benchMemory, benchFanOut, benchSync],
        ...[benchChain, benchQueue, benchRegister, benchForms, benchStore],
      ]
    ) yield* part();
  },
};

if (import.meta.main) {
  const gc = (globalThis as { gc?: () => void }).gc;
  if (Deno.args[0] === MEMORY && gc !== undefined) console.log(memoryAnObject(gc));
  else for await (const line of bench.run()) console.log(figureLine(line));
}
