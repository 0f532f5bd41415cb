import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  changeMetadata,
  type LabelQuery,
  MemoryState,
  newMetadata,
  type Watch,
  type WatchKindOptions,
  withMetadata,
} from "./mod.ts";

const KIND = { namespace: "n", type: "Things.test.dev" };
const IS_ON: LabelQuery = [{ key: "on", op: "equal", values: ["1"], invert: false }];

/** What a consumer knows that only ever saw the events of its watch. */
class Mirror {
  readonly versions = new Map<string, bigint>();
  readonly #watch: Watch;
  readonly #sees: "all" | "latest";
  constructor(watch: Watch, sees: "all" | "latest") {
    this.#sees = sees;
    this.#watch = watch;
  }
  read(): void {
    for (const { type, resource: { metadata }, old } of this.#watch.take()) {
      const known = this.versions.get(metadata.id);
      ok(type !== "errored");
      if (type === "bootstrapped" || type === "noop") continue;
      // Events must fit what is known: nothing is created twice, and nothing unknown changes.
      const isFit = known === undefined === (type === "created") || type === "destroyed" && this.#sees === "latest";
      ok(isFit, `${type} ${metadata.id} known ${known}`);
      if (type === "updated") strictEqual(old?.metadata.version, known);
      if (type === "destroyed") this.versions.delete(metadata.id);
      else this.versions.set(metadata.id, metadata.version ?? 0n);
    }
  }
}

for (const seed of [1, 2, 3, 4, 5]) {
  Deno.test(`watches of all kinds give the state after any changes, seed ${seed}`, () => {
    const state = new MemoryState({ initial: 2, max: 32, gap: 2 });
    let random = seed;
    const below = (limit: number) => (random = (random * 1103515245 + 12345) % 2147483648) % limit;
    const open = (options: WatchKindOptions, busy: number) => ({
      mirror: new Mirror(
        state.watchKindNow(KIND, { bootstrapContents: true, ...options }),
        options.coalesce ? "latest" : "all",
      ),
      busy,
    });
    const consumers: { mirror: Mirror; busy: number; filtered?: boolean }[] = [];
    for (let turn = 0; turn < 4000; turn++) {
      if (turn % 500 === 0) {
        consumers.push(open({}, 8), open({ coalesce: true }, 300));
        consumers.push({ ...open({ labels: [IS_ON] }, 8), filtered: true });
        consumers.push({ ...open({ labels: [IS_ON], coalesce: true }, 300), filtered: true });
      }
      const pointer = { ...KIND, id: `${below(12)}` };
      const current = state.findNow(pointer.namespace, pointer.type, pointer.id);
      const labels = new Map([["on", `${below(2)}`]]);
      if (current === undefined) state.createNow({ metadata: newMetadata(pointer, { labels }), spec: {} });
      else if (below(4) === 0) state.destroyNow(pointer);
      else state.updateNow(withMetadata(current, changeMetadata(current.metadata, { labels })));
      // Plain watches must be read before the history of 32 is full; coalescing ones may take their time.
      for (const { mirror, busy } of consumers) if (below(busy) === 0 || (busy === 8 && turn % 24 === 0)) mirror.read();
    }
    const all = new Map(state.listNow(KIND).map(({ metadata }) => [metadata.id, metadata.version]));
    const on = new Map(
      state.listNow(KIND, { labels: [IS_ON] }).map(({ metadata }) => [metadata.id, metadata.version]),
    );
    for (const { mirror, filtered } of consumers) {
      mirror.read();
      deepStrictEqual(new Map([...mirror.versions].sort()), new Map([...(filtered ? on : all)].sort()));
    }
  });
}

Deno.test("watches that were opened and dropped leave nothing behind", () => {
  const state = new MemoryState();
  let woken = 0;
  for (let count = 0; count < 20_000; count++) {
    const wake = () => void woken++;
    const options = { wake, coalesce: count % 2 === 0 };
    state.watchKindNow(KIND, options)[Symbol.dispose]();
    const watch = state.watchNow({ ...KIND, id: `${count}` }, options);
    watch.take();
    watch[Symbol.dispose]();
  }
  state.createNow({ metadata: newMetadata({ ...KIND, id: "5" }), spec: {} });
  strictEqual(woken, 0);
});

Deno.test("a coalescing watch tells of the end of what came and went, if its query could have seen it", () => {
  const state = new MemoryState();
  const all = state.watchKindNow(KIND, { coalesce: true });
  const on = state.watchKindNow(KIND, { coalesce: true, labels: [IS_ON] });
  const passing = (id: string, ...values: readonly string[]) => {
    const pointer = { ...KIND, id };
    let now = state.createNow({ metadata: newMetadata(pointer), spec: {} });
    for (const value of values) {
      const labels = new Map([["on", value]]);
      now = state.updateNow(withMetadata(now, changeMetadata(now.metadata, { labels })));
    }
    return pointer;
  };
  for (
    const [id, ...values] of [["never", "0", "0"], ["once", "0", "1", "0"], ["first", "1", "0"], ["last", "0", "1"]]
  ) {
    state.destroyNow(passing(id ?? "", ...values));
  }
  passing("left", "1", "0");
  const text = (watch: Watch) => watch.take().map(({ type, resource }) => `${type} ${resource.metadata.id}`);
  deepStrictEqual(text(all), [
    ...["never", "once", "first", "last"].map((id) => `destroyed ${id}`),
    "created left",
  ]);
  deepStrictEqual(text(on), ["once", "first", "last", "left"].map((id) => `destroyed ${id}`));
});
