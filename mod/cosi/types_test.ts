import { field } from "../schema/mod.ts";
import {
  defineController,
  defineQController,
  defineResource,
  exclusive,
  qMapped,
  qMappedDestroyReady,
  qPrimary,
  strong,
  weak,
} from "./mod.ts";

interface ASpec {
  text: string;
  up?: boolean;
}
interface BSpec {
  count: number;
}
const As = defineResource<ASpec>()({
  type: "As.test.dev",
  namespace: "test",
  fields: { text: field.string(1), up: field.optional(field.bool(2)) },
});
const Bs = defineResource<BSpec>()({ type: "Bs.test.dev", namespace: "test", fields: { count: field.int32(1) } });
const Cs = defineResource<BSpec>()({ type: "Cs.test.dev", namespace: "test", fields: { count: field.int32(1) } });

// @ts-expect-error: a field of the interface is missing
defineResource<ASpec>()({ type: "As.test.dev", namespace: "test", fields: { text: field.string(1) } });
defineResource<ASpec>()({
  type: "As.test.dev",
  namespace: "test",
  // @ts-expect-error: text is no number, and up must be optional
  fields: { text: field.int32(1), up: field.bool(2) },
});

Deno.test("defineController() lets only declared access compile", () => {
  defineController({
    name: "test.Controller",
    inputs: [weak(As), strong(Cs)],
    outputs: [exclusive(Bs)],
    async reconcile(r) {
      const first = (await r.list(As))[0];
      const text: string | undefined = first?.spec.text;
      await r.modify(Bs, text ?? "", { count: 1 });
      await r.modify(Bs, "x", (now) => ({ count: (now?.count ?? 0) + 1 }));
      await r.addFinalizer(Cs, "x");
      // @ts-expect-error: a weak input cannot hold finalizers
      await r.addFinalizer(As, "x");
      // @ts-expect-error: not an output
      await r.modify(As, "x", { text: "" });
      // @ts-expect-error: not the spec of Bs
      await r.modify(Bs, "x", { text: "" });
      await r.sync(Bs, [{ id: "x", spec: { count: 2 } }]);
    },
  });
});

Deno.test("defineQController() lets only declared access compile", () => {
  defineQController({
    name: "test.QController",
    inputs: [qPrimary(As), qMapped(Bs), qMappedDestroyReady(Cs)],
    outputs: [exclusive(Cs)],
    async reconcile(r, pointer) {
      const type: "As.test.dev" = pointer.type;
      const text: string | undefined = (await r.get(As, pointer.id))?.spec.text;
      await r.modify(Cs, text ?? type, { count: 1 });
      await r.addFinalizer(As, "x");
      await r.addFinalizer(Bs, "x");
      // @ts-expect-error: this kind of input cannot hold finalizers
      await r.addFinalizer(Cs, "x");
      // @ts-expect-error: not an output
      await r.modify(Bs, "x", { count: 1 });
      // @ts-expect-error: a queue controller does not see all its objects at once
      await r.sync(Cs, []);
    },
    // @ts-expect-error: not a primary input
    mapInput: (_r, { id }) => [{ namespace: "test", type: "Bs.test.dev", id }],
  });
  // @ts-expect-error: an input of the other style
  defineQController({ name: "test.Q", inputs: [weak(As)], outputs: [], reconcile: () => Promise.resolve() });
  // @ts-expect-error: an input of the other style
  defineController({ name: "test.C", inputs: [qPrimary(As)], outputs: [], reconcile: () => Promise.resolve() });
});
