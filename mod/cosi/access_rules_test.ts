import { deepStrictEqual } from "node:assert/strict";
import { AccessRules } from "./access_rules.ts";
import {
  AccessError,
  type AnyInput,
  destroyReady,
  exclusive,
  qMapped,
  qMappedDestroyReady,
  qPrimary,
  strong,
  weak,
} from "./mod.ts";
import { Doubles, Ints, Sums } from "./runtime_testbed.ts";

const CALLS = {
  get: (rules, place) => rules.checkRead(place),
  list: (rules, place) => rules.checkList(place),
  write: (rules, place) => rules.checkWrite(place),
  hold: (rules, place) => rules.checkHold(place),
} satisfies Record<string, (rules: AccessRules, place: { namespace: string; type: string; id: string }) => void>;

/** What a controller with these inputs, and sums as its output, may do with an object. */
function allowed(inputs: readonly AnyInput[], type: string, id = "a", namespace = "test"): string {
  const rules = new AccessRules("test.Controller", inputs, [exclusive(Sums)]);
  const names = Object.entries(CALLS).filter(([, call]) => {
    try {
      call(rules, { namespace, type, id });
      return true;
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      return false;
    }
  });
  return names.map(([name]) => name).join(" ");
}

Deno.test("AccessRules allow what 3-D says, by kind of input", () => {
  const kinds = { weak, strong, destroyReady, qPrimary, qMapped, qMappedDestroyReady };
  const found = Object.entries(kinds).map(([name, make]) => `${name}: ${allowed([make(Ints)], Ints.type)}`);
  deepStrictEqual(found, [
    "weak: get list",
    "strong: get list hold",
    "destroyReady: get list",
    "qPrimary: get list hold",
    "qMapped: get list hold",
    "qMappedDestroyReady: get list",
  ]);
});

Deno.test("AccessRules mind the id and the namespace of an input, and neither of an output", () => {
  const inputs = [strong(Ints, { id: "a" }), weak(Doubles), strong(Doubles, { namespace: "other" })];
  deepStrictEqual({
    own: allowed(inputs, Ints.type),
    id: allowed(inputs, Ints.type, "b"),
    namespace: allowed(inputs, Ints.type, "a", "other"),
    weak: allowed(inputs, Doubles.type),
    strong: allowed(inputs, Doubles.type, "a", "other"),
    output: allowed(inputs, Sums.type, "a", "anywhere"),
    none: allowed([], Ints.type),
  }, {
    own: "get hold",
    id: "",
    namespace: "",
    weak: "get list",
    strong: "get list hold",
    output: "get list write",
    none: "",
  });
});
