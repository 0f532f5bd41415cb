import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  addFinalizer,
  changeMetadata,
  ConflictError,
  modify,
  NotFoundError,
  OpaqueSpec,
  OwnerConflictError,
  PhaseConflictError,
  removeFinalizer,
  type Resource,
  teardownAndDestroy,
  teardownSignal,
  updateWithConflicts,
  withMetadata,
  withSpec,
} from "../../mod/cosi/mod.ts";
import { at, idsOf, KIND, refused, type StateTest, thing, touch } from "./state_fixture.ts";

const stale = (resource: Resource, version: bigint) =>
  withMetadata(resource, changeMetadata(resource.metadata, { version }));

/** Rows about what writes do (cosi.md 2-D, 2-E, 6.1, 10-B). */
export const WRITES: readonly StateTest[] = [
  {
    name: "TestCRD: create, get, list, destroy, create again",
    clauses: ["2.6", "2.9", "2.12", "2.14", "1.7"],
    async run(state) {
      deepStrictEqual(await state.list(KIND), []);
      await rejects(state.get(at("a")), NotFoundError);
      await state.create(thing("b"));
      await state.create(thing("a"));
      await refused(state.create(thing("a")), "exists");
      deepStrictEqual(await idsOf(state.list(KIND)), ["a", "b"]);
      strictEqual(await state.teardown(at("a")), true);
      await state.destroy(at("a"));
      for (const gone of [() => state.get(at("a")), () => state.teardown(at("a")), () => state.destroy(at("a"))]) {
        await rejects(gone(), NotFoundError);
      }
      await rejects(state.update(thing("a")), NotFoundError);
      strictEqual((await state.create(thing("a"))).metadata.version, 1n);
    },
  },
  {
    name: "TestCRDWithOwners: only the owner writes, anybody holds",
    clauses: ["1.8", "1.9", "2.6", "2.10", "2.20", "9.6"],
    async run(state) {
      const owner = "owner";
      const created = await state.create(thing("a"), { owner });
      strictEqual(created.metadata.owner, owner);
      for (const other of [{}, { owner: "other" }]) {
        await refused(state.update(created, other), "owner");
        await refused(state.teardown(at("a"), other), "owner");
        await refused(state.destroy(at("a"), other), "owner");
      }
      await rejects(state.update(created), OwnerConflictError);
      await addFinalizer(state, at("a"), "f");
      await removeFinalizer(state, at("a"), "f");
      const current = await state.get(at("a"));
      const stripped = withMetadata(current, changeMetadata(current.metadata, { owner: "" }));
      strictEqual((await state.update(stripped, { owner })).metadata.owner, owner);
      await state.teardown(at("a"), { owner });
      await refused(state.teardown(at("a")), "owner");
      await state.destroy(at("a"), { owner });
    },
  },
  {
    name: "TestConcurrentFinalizers: no lost update",
    clauses: ["2.16", "2.20", "1.11"],
    async run(state) {
      await state.create(thing("a"));
      const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
      await Promise.all(names.map((name) => addFinalizer(state, at("a"), name)));
      await Promise.all(names.slice(0, 3).map((name) => removeFinalizer(state, at("a"), name)));
      deepStrictEqual([...(await state.get(at("a"))).metadata.finalizers].sort(), names.slice(3));
      const { version } = (await state.get(at("a"))).metadata;
      await Promise.all(names.slice(0, 3).map((name) => removeFinalizer(state, at("a"), name)));
      strictEqual((await state.get(at("a"))).metadata.version, version);
    },
  },
  {
    name: "TestContextWithTeardown: aborted for missing, tearing down and destroyed objects",
    clauses: ["2.23", "10.19"],
    async run(state) {
      const ended = (signal: AbortSignal) =>
        signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener("abort", resolve));
      await state.create(thing("a"));
      await state.create(thing("b"));
      const missing = await teardownSignal(state, at("x"));
      const torn = await teardownSignal(state, at("a"));
      const destroyed = await teardownSignal(state, at("b"));
      await ended(missing);
      strictEqual(torn.aborted, false);
      await state.teardown(at("a"));
      await ended(torn);
      strictEqual(destroyed.aborted, false);
      await state.destroy(at("b"));
      await ended(destroyed);
    },
  },
  {
    name: "TestModify: creates, updates, minds the phase, passes errors on",
    clauses: ["2.18", "2.17", "10.20"],
    async run(state) {
      const set = (value: number) => (current: Resource | undefined) => withSpec(current ?? thing("a"), { value });
      strictEqual((await modify(state, at("a"), set(1))).metadata.version, 1n);
      strictEqual((await modify(state, at("a"), set(2))).metadata.version, 2n);
      strictEqual((await modify(state, at("a"), set(2))).metadata.version, 2n);
      const problem = new Error("its own words");
      const failing = () => {
        throw problem;
      };
      await rejects(modify(state, at("a"), failing), problem);
      await rejects(modify(state, at("new"), failing), problem);
      await rejects(state.get(at("new")), NotFoundError);
      await state.teardown(at("a"));
      await rejects(modify(state, at("a"), set(2)), PhaseConflictError);
      strictEqual((await modify(state, at("a"), set(3), { expectedPhase: "any" })).metadata.version, 4n);
    },
  },
  {
    name: "TestModifyWithOwner: sets the owner and minds it",
    clauses: ["2.18"],
    async run(state) {
      const set = (value: number) => (current: Resource | undefined) => withSpec(current ?? thing("a"), { value });
      strictEqual((await modify(state, at("a"), set(1), { owner: "me" })).metadata.owner, "me");
      await refused(modify(state, at("a"), set(2)), "owner");
      strictEqual((await modify(state, at("a"), set(2), { owner: "me" })).metadata.version, 2n);
    },
  },
  {
    name: "TestParallelDestroy: each succeeds or finds nothing",
    clauses: ["2.12", "2.15"],
    async run(state) {
      await state.create(thing("/"));
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => state.destroy(at("/"))));
      for (const result of results) ok(result.status === "fulfilled" || result.reason instanceof NotFoundError);
      ok(results.some(({ status }) => status === "fulfilled"));
    },
  },
  {
    name: "TestTeardownAndDestroy: waits for who holds the object",
    clauses: ["2.21", "10.18"],
    async run(state) {
      await state.create(thing("a"));
      await addFinalizer(state, at("a"), "f");
      const ending = teardownAndDestroy(state, at("a"));
      await removeFinalizer(state, at("a"), "f");
      await ending;
      await rejects(state.get(at("a")), NotFoundError);
      await rejects(teardownAndDestroy(state, at("a")), NotFoundError);
      await state.create(thing("a"));
      await addFinalizer(state, at("a"), "f");
      const second = teardownAndDestroy(state, at("a"));
      await removeFinalizer(state, at("a"), "f");
      await state.destroy(at("a")).catch((error) => ok(error instanceof NotFoundError));
      await second;
    },
  },
  {
    name: "TestTeardownDestroy: not while somebody holds it",
    clauses: ["2.12", "2.19", "10.5", "10.6"],
    async run(state) {
      await state.create(thing("a"));
      await addFinalizer(state, at("a"), "f");
      await refused(state.destroy(at("a")), "finalizers");
      strictEqual(await state.teardown(at("a")), false);
      const { version } = (await state.get(at("a"))).metadata;
      strictEqual(await state.teardown(at("a")), false);
      strictEqual((await state.get(at("a"))).metadata.version, version);
      await refused(state.destroy(at("a")), "finalizers");
      await removeFinalizer(state, at("a"), "g");
      await removeFinalizer(state, at("a"), "f");
      strictEqual(await state.teardown(at("a")), true);
      await state.destroy(at("a"));
      await rejects(addFinalizer(state, at("a"), "f"), NotFoundError);
      await rejects(removeFinalizer(state, at("a"), "f"), NotFoundError);
    },
  },
  {
    name: "TestUpdate: the version must be the stored one, the phase the expected one",
    clauses: ["2.6", "2.7", "2.8", "2.10", "2.11", "10.2", "10.3", "10.4", "1.10"],
    async run(state) {
      const owner = "me";
      await rejects(state.update(thing("a")), NotFoundError);
      const created = await state.create(thing("a"), { owner });
      const second = await state.update(created, { owner });
      strictEqual(second.metadata.version, 2n);
      await refused(state.update(created, { owner }), "version");
      await refused(state.update(stale(second, 7n), { owner }), "version");
      await rejects(state.update(created, { owner }), (error) => !(error instanceof OwnerConflictError));
      await rejects(state.update(second, { owner: "other" }), OwnerConflictError);
      await state.teardown(at("a"), { owner });
      const torn = await state.get(at("a"));
      await refused(state.update(torn, { owner }), "phase");
      const third = await state.update(torn, { owner, expectedPhase: "tearingDown" });
      strictEqual(third.metadata.phase, "tearingDown");
      const running = withMetadata(third, changeMetadata(third.metadata, { phase: "running" }));
      strictEqual((await state.update(running, { owner, expectedPhase: "any" })).metadata.phase, "running");
    },
  },
  {
    name: "TestUpdateWithConflicts: carries the change, leaves the caller's object, repeats after a race",
    clauses: ["2.16", "10.2"],
    async run(state) {
      const created = await state.create(thing("a"));
      const changed = await updateWithConflicts(state, at("a"), (current) => withSpec(current, { value: 5 }));
      deepStrictEqual(changed.spec, { value: 5 });
      deepStrictEqual(created.spec, { value: 0 });
      notStrictEqual(changed, created);
      const same = await updateWithConflicts(state, at("a"), (current) => withSpec(current, { value: 5 }));
      strictEqual(same.metadata.version, 2n);
      await Promise.all(Array.from({ length: 8 }, () => touch(state, "a")));
      deepStrictEqual((await state.get(at("a"))).spec, { value: 13 });
    },
  },
  {
    name: "create stamps version, owner and time whatever the caller passed",
    clauses: ["10.1", "10.7", "1.7", "1.4"],
    async run(state) {
      strictEqual((await state.create(stale(thing("a"), 7n))).metadata.version, 1n);
      const owned = withMetadata(thing("b"), changeMetadata(thing("b").metadata, { owner: "a" }));
      for (const options of [{}, { owner: "b" }]) {
        await rejects(state.create(owned, options), (error) => !(error instanceof ConflictError));
      }
      strictEqual((await state.create(owned, { owner: "a" })).metadata.owner, "a");
    },
  },
  {
    name: "created stays, updated is set by each update",
    clauses: ["10.8", "1.4"],
    async run(state) {
      const { metadata: { created } } = await state.create(thing("a"));
      for (let count = 0; count < 3; count++) {
        const { metadata } = await touch(state, "a");
        deepStrictEqual(metadata.created, created);
        ok(metadata.updated.seconds >= created.seconds);
      }
      const stored = await state.get(at("a"));
      const forged = changeMetadata(stored.metadata, {
        created: { seconds: 1, nanos: 1 },
        updated: { seconds: 2, nanos: 2 },
      });
      const { metadata } = await state.update(withMetadata(stored, forged));
      deepStrictEqual(metadata.created, created);
      ok(metadata.updated.seconds >= created.seconds);
    },
  },
  {
    name: "ids, types and namespaces are any text, and so are keys of labels",
    clauses: ["1.1", "10.16", "9.32"],
    async run(state) {
      const keys = { "__proto__x": "1", constructor: "2", "": "3" };
      const labels = new Map([...Object.entries(keys), ["__proto__", "4"]]);
      const odd = thing("", 0);
      await state.create(withMetadata(odd, changeMetadata(odd.metadata, { labels, annotations: labels })));
      const { metadata } = await state.get(at(""));
      deepStrictEqual([...metadata.labels].sort(), [...labels].sort());
      deepStrictEqual([...metadata.annotations].sort(), [...labels].sort());
      const query = { labels: [[{ key: "__proto__", op: "equal", values: ["4"], invert: false }]] } as const;
      deepStrictEqual(await idsOf(state.list(KIND, query)), [""]);
      const elsewhere = { namespace: "", type: "a/b", id: "__proto__" };
      const spec = new OpaqueSpec(Uint8Array.of(8, 1), "value: 1\n");
      await state.create({ metadata: changeMetadata({ ...metadata, ...elsewhere }, {}), spec });
      deepStrictEqual((await state.get(elsewhere)).spec, spec);
      deepStrictEqual(await idsOf(state.list(elsewhere)), ["__proto__"]);
      deepStrictEqual(await state.list({ ...KIND, namespace: "constructor" }), []);
    },
  },
];
