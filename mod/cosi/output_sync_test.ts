import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import {
  addFinalizer,
  FilteredState,
  MemoryState,
  newResource,
  NotFoundError,
  OwnerConflictError,
  removeFinalizer,
  type State,
  updateWithConflicts,
  type Verb,
  withSpec,
} from "./mod.ts";
import { syncOutputs } from "./output_sync.ts";
import { at, Doubles, type Int } from "./runtime_testbed.ts";

const OWNER = "test.Owner";
const KIND = { namespace: "test", type: Doubles.type };
const STATES: readonly [name: string, make: (inner: MemoryState) => State][] = [
  ["MemoryState", (inner) => inner],
  ["FilteredState", (inner) => new FilteredState(inner, () => {})],
];
const map = (text: string) => new Map([["key", text]]);
const want = (id: string, value: number, fields: object = {}) => ({ id, spec: { value }, ...fields });
const sync = (state: State, ...wanted: ReturnType<typeof want>[]) => syncOutputs(state, KIND, OWNER, wanted);

function objects(state: MemoryState): string[] {
  return state.listNow(KIND).map(({ metadata: { id, version, phase, labels, annotations }, spec }) =>
    [`${id}@${version}`, phase, (spec as Int).value, labels.get("key"), annotations.get("key")].join(" ").trim()
  );
}

for (const [name, make] of STATES) {
  Deno.test(`${name}: syncOutputs() writes what differs, labels and annotations too, and ends the rest`, async () => {
    const inner = new MemoryState();
    const state = make(inner);
    const both = { labels: map("l"), annotations: map("a") };
    deepStrictEqual(await sync(state, want("a", 1), want("b", 2, both), want("c", 3)), { writes: 3, isHeld: false });
    deepStrictEqual(await sync(state, want("a", 1), want("b", 2, both), want("c", 3)), { writes: 0, isHeld: false });
    await sync(state, want("a", 1, { labels: map("l") }), want("b", 2, { ...both, annotations: map("other") }));
    deepStrictEqual(objects(inner), ["a@2 running 1 l", "b@2 running 2 l other"]);
    await sync(state, want("a", 4), want("b", 2));
    deepStrictEqual(objects(inner), ["a@3 running 4", "b@3 running 2"]);
  });

  Deno.test(`${name}: syncOutputs() waits for who holds an object, wanted or not`, async () => {
    const inner = new MemoryState();
    const state = make(inner);
    await sync(state, want("a", 1));
    await addFinalizer(inner, at(Doubles.type, "a"), "holder");
    deepStrictEqual(await sync(state), { writes: 1, isHeld: true });
    deepStrictEqual(await sync(state), { writes: 0, isHeld: true });
    deepStrictEqual(await sync(state, want("a", 2)), { writes: 0, isHeld: true });
    deepStrictEqual(objects(inner), ["a@3 tearingDown 1"]);
    await removeFinalizer(inner, at(Doubles.type, "a"), "holder");
    await sync(state, want("a", 2));
    deepStrictEqual(objects(inner), ["a@1 running 2"]);
  });

  Deno.test(`${name}: syncOutputs() tries everything, and tells of what is another's or wanted twice`, async () => {
    const inner = new MemoryState();
    const state = make(inner);
    for (const id of ["foreign", "taken"]) {
      await inner.create(newResource(Doubles, id, { value: 9 }), { owner: "other" });
    }
    await inner.create(newResource(Doubles, "nobody", { value: 9 }));
    await rejects(
      sync(state, want("taken", 1), want("twice", 1), want("twice", 2), want("last", 1)),
      ({ errors }: AggregateError) => errors.some((one) => one instanceof OwnerConflictError) && errors.length === 2,
    );
    deepStrictEqual(objects(inner), [
      "foreign@1 running 9",
      "last@1 running 1",
      "nobody@1 running 9",
      "taken@1 running 9",
      "twice@1 running 1",
    ]);
  });

  Deno.test(`${name}: syncOutputs() lets others have their turn`, async () => {
    const state = make(new MemoryState());
    const many = Array.from({ length: 5000 }, (_, id) => want(`${id}`, id));
    for (const wanted of [many, []]) {
      let turns = 0, isOver = false;
      const count = () => {
        turns++;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      await sync(state, ...wanted);
      isOver = true;
      ok(turns >= 2, `${turns} turns for ${wanted.length}`);
    }
  });
}

/** What somebody else does right before a write of the sync, and what there is after it. */
const RACES: readonly [
  name: string,
  verb: Verb,
  meanwhile: (inner: MemoryState) => Promise<unknown>,
  after: string[],
][] = [
  [
    "an update",
    "update",
    (inner) =>
      updateWithConflicts(inner, at(Doubles.type, "a"), (now) => withSpec(now, { value: 7 }), { owner: OWNER }),
    ["a@3 running 2", "new@1 running 1"],
  ],
  [
    "an end",
    "update",
    (inner) => inner.destroy(at(Doubles.type, "a"), { owner: OWNER }),
    ["a@1 running 2", "new@1 running 1"],
  ],
  [
    "a creation",
    "create",
    (inner) => inner.create(newResource(Doubles, "new", { value: 7 }), { owner: OWNER }),
    ["a@2 running 2", "new@2 running 1"],
  ],
  [
    "a hold",
    "destroy",
    (inner) => addFinalizer(inner, at(Doubles.type, "old"), "holder"),
    ["a@2 running 2", "new@1 running 1", "old@3 tearingDown 1"],
  ],
  [
    "an end of what is to be ended",
    "destroy",
    (inner) => inner.destroy(at(Doubles.type, "old"), { owner: OWNER }),
    ["a@2 running 2", "new@1 running 1"],
  ],
];
for (const [name, verb, meanwhile, after] of RACES) {
  Deno.test(`syncOutputs() on a state that answers later looks again after ${name} by somebody else`, async () => {
    const inner = new MemoryState();
    for (const id of ["a", "old"]) await inner.create(newResource(Doubles, id, { value: 1 }), { owner: OWNER });
    let isFirst = true;
    class Racing extends FilteredState {
      async #race(now: Verb): Promise<void> {
        if (now !== verb || !isFirst) return;
        isFirst = false;
        await meanwhile(inner);
      }
      override async create(...args: Parameters<FilteredState["create"]>) {
        await this.#race("create");
        return await super.create(...args);
      }
      override async update(...args: Parameters<FilteredState["update"]>) {
        await this.#race("update");
        return await super.update(...args);
      }
      override async destroy(...args: Parameters<FilteredState["destroy"]>) {
        await this.#race("destroy");
        await super.destroy(...args);
      }
    }
    await sync(new Racing(inner, () => {}), want("a", 2), want("new", 1));
    ok(!isFirst);
    deepStrictEqual(objects(inner), after);
  });
}

Deno.test("syncOutputs() tells of an object that cannot be read again after a race", async () => {
  const inner = new MemoryState();
  await inner.create(newResource(Doubles, "a", { value: 1 }), { owner: OWNER });
  let isLost = false;
  const state = new FilteredState(inner, (_namespace, type, id, verb) => {
    if (verb === "get" && isLost) throw new Error("no connection");
    if (verb !== "update") return;
    isLost = true;
    throw new NotFoundError({ namespace: "test", type, id });
  });
  await rejects(sync(state, want("a", 2)), { message: "no connection" });
});
