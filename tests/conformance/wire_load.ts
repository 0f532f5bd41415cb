/**
 * What many watches leave behind, measured in a process that can collect garbage when it wants to.
 * Usage: `deno run -A --v8-flags=--expose-gc wire_load.ts WATCHES DROPS`; prints a line of JSON, a {@link LoadReport}.
 */
import { MemoryState, type Watch } from "../../mod/cosi/mod.ts";
import { ServedState } from "./served_state.ts";
import { at, KIND, Reader, thing } from "./state_fixture.ts";

/** Bytes in use on the heap. */
export interface LoadReport {
  /** With each of the watches open, and once they were closed. */
  readonly open: number;
  readonly closed: number;
  /** Before and after watches were opened and dropped, again and again. */
  readonly before: number;
  readonly after: number;
  /** Watches that got the event that was meant for all. */
  readonly served: number;
}

const AT_ONCE = 50;

/** The heap once everything that ends has ended: streams need some turns for it. */
async function used(): Promise<number> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  (globalThis as unknown as { gc(): void }).gc();
  return Deno.memoryUsage().heapUsed;
}

/** Opens one of a kind or of an object, in turn; with or without reading its first event. */
function open(served: ServedState, number: number): Promise<Watch> {
  const remote = served.remote({ retry: false });
  return number % 2 === 0 ? remote.watchKind(KIND, { bootstrapBookmark: true }) : remote.watch(at("a"));
}

async function hold(served: ServedState, count: number): Promise<Pick<LoadReport, "open" | "closed" | "served">> {
  const readers: Reader[] = [];
  for (let number = 0; number < count; number++) {
    const reader = new Reader(await open(served, number));
    readers.push(reader);
    await reader.next();
  }
  served.state.updateNow(served.state.getNow(at("a")));
  const events = await Promise.all(readers.map((reader) => reader.next()));
  const seen = events.filter(({ type }) => type === "updated").length;
  const opened = await used();
  for (const reader of readers) reader[Symbol.dispose]();
  readers.length = 0;
  return { open: opened, closed: await used(), served: seen };
}

async function drop(served: ServedState, count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, number) => {
      using watch = await open(served, number);
      if (number % 3 === 0) await watch[Symbol.asyncIterator]().next();
    }));
  }
}

const [watches = 0, drops = 0] = Deno.args.map(Number);
await using served = await ServedState.start(new MemoryState());
served.state.createNow(thing("a"));
await drop(served, 1000);
const before = await used();
await drop(served, drops);
const after = await used();
console.log(JSON.stringify({ ...await hold(served, watches), before, after }));
