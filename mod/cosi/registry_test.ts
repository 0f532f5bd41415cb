import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { checkRecord, field, ValidationError } from "../schema/mod.ts";
import {
  type AnyDefinition,
  decodeSpec,
  defineResource,
  DefinitionRegistry,
  definitionSpec,
  encodeSpec,
  MemoryState,
  Namespaces,
  newResource,
  registerDefinitions,
  ResourceDefinitions,
  type ResourceDefinitionSpec,
  specYaml,
} from "./mod.ts";

function define(type: string, aliases: string[] = []): AnyDefinition {
  return defineResource<{ a: string }>()({ type, namespace: "n", aliases, fields: { a: field.string(1) } });
}

Deno.test("definitionSpec() derives the aliases of clause 1.33", () => {
  deepStrictEqual(definitionSpec(ResourceDefinitions).aliases, ["api-resources", "resourcedefinition", "rd", "rds"]);
  deepStrictEqual(definitionSpec(ResourceDefinitions).allAliases, [
    ...["resourcedefinitions", "resourcedefinitions.meta", "resourcedefinitions.meta.cosi"],
    ...["api-resources", "resourcedefinition", "rd", "rds"],
  ]);
  deepStrictEqual(definitionSpec(Namespaces).aliases, ["ns", "namespace"]);
  strictEqual(definitionSpec(define("BootedEntries.talos.dev")).displayType, "BootedEntry");
  deepStrictEqual(definitionSpec(define("LinkStatuses.net.talos.dev", ["link"])).aliases, ["link", "linkstatus", "ls"]);
  deepStrictEqual(definitionSpec(define("CertSANs.secrets.talos.dev")).aliases, ["certsan", "csan", "csans"]);
  deepStrictEqual(definitionSpec(define("Diagnostics.runtime.talos.dev")).aliases, ["diagnostic"]);
});

Deno.test("definitionSpec() derives nothing where that is to be skipped, and the flag travels (1.29, 1.32)", () => {
  const plain = defineResource<{ a: string }>()({
    ...{ type: "LinkSpecs.test.dev", namespace: "n", aliases: ["link"], skipAutomaticAliases: true },
    fields: { a: field.string(1) },
  });
  const spec = definitionSpec(plain as AnyDefinition);
  deepStrictEqual([spec.displayType, spec.aliases, spec.allAliases], ["LinkSpec", ["link"], ["link"]]);
  const bytes = encodeSpec(newResource(ResourceDefinitions, "x", spec), ResourceDefinitions);
  deepStrictEqual(decodeSpec(ResourceDefinitions, bytes, ""), spec);
  ok(
    specYaml(newResource(ResourceDefinitions, "x", spec), ResourceDefinitions).includes("skipAutomaticAliases: true\n"),
  );
});

Deno.test("definitionSpec() tells what is sensitive, in the one word that there is (1.30)", () => {
  const secret = defineResource<{ a: string }>()({
    ...{ type: "Secrets.test.dev", namespace: "n", sensitive: true },
    fields: { a: field.string(1) },
  });
  const spec = definitionSpec(secret as AnyDefinition);
  strictEqual(spec.sensitivity, "sensitive");
  const bytes = encodeSpec(newResource(ResourceDefinitions, "x", spec), ResourceDefinitions);
  deepStrictEqual([...bytes?.slice(-2) ?? []], [7 << 3, 1]);
  checkRecord(ResourceDefinitions.shape, spec);
  throws(() => checkRecord(ResourceDefinitions.shape, { ...spec, sensitivity: "odd" } as never), ValidationError);
});

const MALFORMED: [type: string, problem: string][] = [
  ["Things", "missing suffix"],
  [".test.dev", "name is empty"],
  ["Things.", "suffix is empty"],
  ["things.test.dev", "name should be in CamelCase"],
  ["thingS.test.dev", "does not match"],
  ["Things.Test.dev", "does not match"],
  ["Thing.test.dev", "name should be plural"],
];
for (const [type, problem] of MALFORMED) {
  Deno.test(`definitionSpec() refuses "${type}": ${problem}`, () => {
    throws(() => definitionSpec(define(type)), (error: Error) => error.message.includes(problem));
  });
}

Deno.test("registerDefinitions() publishes types and namespaces once, under owner meta (1-E)", async () => {
  const state = new MemoryState();
  const register = () =>
    registerDefinitions(state, [define("Things.test.dev", ["tt"])], [{ name: "n", description: "for tests" }]);
  await register();
  await register();
  const namespaces = await state.list({ namespace: "meta", type: Namespaces.type });
  deepStrictEqual(namespaces.map(({ metadata: { id, owner, version } }) => `${id} ${owner} ${version}`), [
    "meta meta 1",
    "n meta 1",
  ]);
  const definitions = await state.list({ namespace: "meta", type: ResourceDefinitions.type });
  deepStrictEqual(definitions.map(({ metadata }) => metadata.id), [
    "namespaces.meta.cosi.dev",
    "resourcedefinitions.meta.cosi.dev",
    "things.test.dev",
  ]);
  const meta = definitions[1];
  strictEqual(
    meta === undefined ? "" : specYaml(meta, ResourceDefinitions),
    `type: ResourceDefinitions.meta.cosi.dev
displayType: ResourceDefinition
defaultNamespace: meta
aliases:
    - api-resources
    - resourcedefinition
    - rd
    - rds
allAliases:
    - resourcedefinitions
    - resourcedefinitions.meta
    - resourcedefinitions.meta.cosi
    - api-resources
    - resourcedefinition
    - rd
    - rds
printColumns:
    - name: Aliases
      jsonPath: "{.aliases[:]}"
`,
  );
  strictEqual((meta === undefined ? undefined : encodeSpec(meta, ResourceDefinitions))?.[0], 0x0a);
  strictEqual((meta?.spec as ResourceDefinitionSpec).sensitivity, "");
});

Deno.test("DefinitionRegistry finds types by name and by alias", () => {
  const specs = define("LinkSpecs.test.dev"), statuses = define("LinkStatuses.test.dev", ["link"]);
  const registry = new DefinitionRegistry([specs, statuses]);
  strictEqual(registry.byType("LinkSpecs.test.dev"), specs);
  strictEqual(registry.byType("Namespaces.meta.cosi.dev"), Namespaces);
  deepStrictEqual(registry.byAlias("link"), [statuses]);
  deepStrictEqual(registry.byAlias("LinkSpecs.test.dev"), [specs]);
  deepStrictEqual(registry.byAlias("ls"), [specs, statuses]);
  deepStrictEqual(registry.byAlias("nothing"), []);
  throws(() => new DefinitionRegistry([specs, define("LinkSpecs.test.dev")]), TypeError);
});
