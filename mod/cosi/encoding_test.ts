import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { parse } from "yaml";
import { field } from "../schema/mod.ts";
import {
  decodeSpec,
  defineResource,
  encodeSpec,
  makeResource,
  newMetadata,
  newResource,
  OpaqueSpec,
  parseResourceYaml,
  parseTimestamp,
  resourceYaml,
  specYaml,
} from "./mod.ts";

interface Thing {
  name: string;
  tags: readonly string[];
  on?: boolean;
}
const Things = defineResource<Thing>()({
  type: "Things.test.dev",
  namespace: "test",
  fields: {
    name: field.string(1),
    tags: field.list(2, field.string()),
    on: field.optional(field.bool(3)),
  },
});
const Texts = defineResource<{ text: string }>()({
  type: "Texts.test.dev",
  namespace: "test",
  fields: { text: field.text(1) },
  plain: ({ text }) => text,
});
const created = parseTimestamp("2026-01-02T03:04:05.678901234Z");

Deno.test("encodeSpec() and specYaml() make each form once a version", () => {
  const thing = newResource(Things, "a", { name: "x", tags: ["t"], on: false });
  const bytes = encodeSpec(thing, Things);
  deepStrictEqual(bytes, new Uint8Array([0x0a, 1, 0x78, 0x12, 1, 0x74, 0x18, 0]));
  strictEqual(encodeSpec(thing, Things), bytes);
  strictEqual(specYaml(thing, Things), "name: x\ntags:\n    - t\non: false\n");
  deepStrictEqual(decodeSpec(Things, bytes, ""), thing.spec);
  throws(() => encodeSpec(newResource(Things, "b", { name: "x", tags: [] })), TypeError);
});

Deno.test("an empty message travels as absent (5.22)", () => {
  strictEqual(encodeSpec(newResource(Things, "a", { name: "", tags: [] }), Things), undefined);
  deepStrictEqual(decodeSpec(Things, undefined, ""), { name: "", tags: [] });
});

Deno.test("a spec of an unknown type comes back byte for byte (10.34)", () => {
  const proto = new Uint8Array([0xff, 0, 1]), yaml = "a:   1 # kept\n";
  const spec = decodeSpec(undefined, proto, yaml);
  const opaque = makeResource(newMetadata({ namespace: "n", type: "t", id: "i" }, { created }), spec);
  strictEqual(encodeSpec(opaque), proto);
  strictEqual(specYaml(opaque), yaml);
  ok(resourceYaml(opaque).endsWith("spec:\n    a:   1 # kept\n"));
  deepStrictEqual(decodeSpec(undefined, new Uint8Array(0), ""), new OpaqueSpec(undefined, ""));
});

Deno.test("resourceYaml() shows metadata in the order of clause 1.36", () => {
  const full = newResource(Things, "eth0/10.0.0.1", { name: "x", tags: [] }, {
    version: 3n,
    owner: "test.Controller",
    phase: "tearingDown",
    created,
    labels: new Map([["b", "2"], ["a", "true"]]),
    annotations: new Map([["__proto__", "x"]]),
    finalizers: ["one", "two"],
  });
  strictEqual(
    resourceYaml(full, Things),
    `metadata:
    namespace: test
    type: Things.test.dev
    id: eth0/10.0.0.1
    version: 3
    owner: test.Controller
    phase: tearingDown
    created: 2026-01-02T03:04:05Z
    updated: 2026-01-02T03:04:05Z
    labels:
        a: "true"
        b: "2"
    annotations:
        __proto__: x
    finalizers:
        - one
        - two
spec:
    name: x
    tags: []
`,
  );
  const plain = newResource(Things, "a", { name: "", tags: ["t"] }, { created });
  ok(
    resourceYaml(plain, Things).startsWith(
      "metadata:\n    namespace: test\n    type: Things.test.dev\n    id: a\n    version: undefined\n    owner:\n    phase: running\n",
    ),
  );
});

Deno.test("a definition can show its spec as one text", () => {
  const text = newResource(Texts, "a", { text: "a: 1\n\nb:\n  c: 2\n" }, { created });
  strictEqual(specYaml(text, Texts), "|\n    a: 1\n\n    b:\n      c: 2\n");
  ok(resourceYaml(text, Texts).endsWith("spec: |\n    a: 1\n\n    b:\n      c: 2\n"));
});

for (
  const text of ["a: 1\n\nb:\n  c: 2\n", "a: 1\n---\nb: 2\n", "a\nb", "a\n\n\n", "  a: 1\nb\n", "\na\n", "a\r\nb", "a"]
) {
  Deno.test(`a spec that is the text ${JSON.stringify(text)} comes back from YAML`, () => {
    const resource = newResource(Texts, "a", { text }, { created });
    strictEqual(parse(specYaml(resource, Texts)), text);
    strictEqual(parseResourceYaml(resourceYaml(resource, Texts)).spec, text);
  });
}

Deno.test("parseResourceYaml() reads what resourceYaml() writes", () => {
  const resource = newResource(Things, "a", { name: "x", tags: ["1"], on: true }, {
    version: 7n,
    created: parseTimestamp("2026-01-02T03:04:05Z"),
    labels: new Map([["a", "true"], ["n", "010"]]),
    annotations: new Map([["__proto__", "v"]]),
    finalizers: ["f"],
  });
  const { metadata, spec } = parseResourceYaml(resourceYaml(resource, Things));
  deepStrictEqual(metadata, resource.metadata);
  deepStrictEqual(spec, resource.spec);
});

const BAD: [problem: string, text: string][] = [
  ["line 1, column 1", "metadata: {}\n"],
  ["line 1, column 1", "just text"],
  ["line 2, column 12", "metadata:\n  version: x\nspec: {}\n"],
  ["line 3, column 10", "metadata:\n  version: 1\n  phase: gone\nspec: {}\n"],
  ["line 4, column 11", "metadata:\n  version: 1\n  phase: running\n  labels: [a]\nspec: {}\n"],
];
for (const [place, text] of BAD) {
  Deno.test(`parseResourceYaml() refuses ${JSON.stringify(text)} at ${place}`, () => {
    throws(
      () => parseResourceYaml(text),
      (error: Error) => error instanceof SyntaxError && error.message.includes(place),
    );
  });
}
