import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parse, stringify } from "yaml";
import {
  makeResource,
  type MetadataFields,
  newMetadata,
  OpaqueSpec,
  plainMetadata,
  type Resource,
  resourceYaml,
  textMap,
} from "./mod.ts";

const TIME = { seconds: 1_700_000_000, nanos: 0 };
const IDS = [
  "a",
  "eth0/10.0.0.1/8",
  "eth0/fe80::1/64",
  "5",
  "1.5",
  "true",
  "",
  "x: y",
  "a #b",
  "-",
  "2023-11-14",
  "ü",
  "x:",
];
const SPECS = [
  "a: 1\nb:\n    c: 2\n",
  "- a\n- b: 1\n  c: 2\n",
  "text\n",
  "|\n    one\n    two\n",
  "{}\n",
  "# x\na: 1\n",
];
const FIELDS: readonly MetadataFields[] = [
  {},
  { version: 3n, owner: "net.Controller", phase: "tearingDown", finalizers: ["a.B", "c"] },
  { version: 2n ** 60n, labels: textMap([["b", "text"], ["a.b/c", "eth0"]]) },
  {
    annotations: textMap([["monos.dev/source", "machine.network.interfaces[0]"], ["n", "1"]]),
    finalizers: ["no: plain"],
  },
];

/** What the library makes of the metadata. */
function metadataOf({ metadata }: Resource): string {
  const text = stringify({ metadata: plainMetadata(metadata) }, { indent: 4, lineWidth: 0, nullStr: "" });
  return text.replace(/: +$/gm, ":");
}

for (const [at, fields] of FIELDS.entries()) {
  Deno.test(`resourceYaml() writes what the library writes: metadata ${at}`, () => {
    for (const id of IDS) {
      for (const spec of SPECS) {
        const pointer = { namespace: "network", type: "Links.net.talos.dev", id };
        const metadata = newMetadata(pointer, { created: TIME, updated: TIME, ...fields });
        const resource = makeResource(metadata, new OpaqueSpec(undefined, spec));
        const text = resourceYaml(resource);
        strictEqual(text.slice(0, text.indexOf("spec:")), metadataOf(resource));
        deepStrictEqual(parse(text).spec, parse(spec), text);
      }
    }
  });
}
