import { rejects, strictEqual } from "node:assert/strict";
import { MemoryState, newMetadata, OwnedState, OwnerConflictError, PhaseConflictError, type Resource } from "./mod.ts";

const at = (id: string) => ({ namespace: "default", type: "Things.test.dev", id });
const thing = (id: string): Resource => ({ metadata: newMetadata(at(id)), spec: {} });

Deno.test("OwnedState writes in the name of its owner unless told otherwise (2.64)", async () => {
  const state = new MemoryState();
  const mine = new OwnedState(state, "me"), theirs = new OwnedState(state, "they");
  strictEqual((await mine.create(thing("a"))).metadata.owner, "me");
  strictEqual((await mine.create(thing("free"), { noOwner: true })).metadata.owner, "");
  strictEqual((await mine.modify(at("b"), () => thing("b"))).metadata.owner, "me");
  strictEqual((await mine.modify(at("c"), () => thing("c"), { noOwner: true })).metadata.owner, "");
  strictEqual((await mine.update(await mine.get(at("a")))).metadata.version, 2n);
  await rejects(theirs.update(await theirs.get(at("a"))), OwnerConflictError);
  await rejects(mine.destroy(at("free")), OwnerConflictError);
  await mine.destroy(at("free"), { owner: "" });
  await mine.teardown(at("a"));
  await rejects(mine.update(await mine.get(at("a"))), PhaseConflictError);
  const changed = (old: Resource | undefined) => ({ ...old ?? thing("a"), spec: { changed: true } });
  await rejects(mine.modify(at("a"), changed), PhaseConflictError);
  await mine.modify(at("a"), changed, { expectedPhase: "tearingDown" });
  await mine.destroy(at("a"));
  await rejects(theirs.teardown(at("b")), OwnerConflictError);
  await theirs.teardownAndDestroy(at("b"), { owner: "me" });
  strictEqual((await mine.list(at(""))).length, 1);
});
