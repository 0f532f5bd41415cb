import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import type { ResourceDefinitionSpec } from "../cosi/mod.ts";
import { UsageError } from "./flags.ts";
import { resourceType } from "./resource_type.ts";

const definition = (type: string, ...allAliases: string[]): ResourceDefinitionSpec => ({
  ...{ type, displayType: "", defaultNamespace: "", aliases: [], allAliases, skipAutomaticAliases: false },
  ...{ printColumns: [], sensitivity: "" },
});
const TYPES = [
  definition("LinkStatuses.net.talos.dev", "linkstatuses", "linkstatuses.net", "link", "links", "ls"),
  definition("LinkSpecs.net.talos.dev", "linkspecs", "linkspecs.net", "linkspec", "ls"),
  definition("Namespaces.meta.cosi.dev", "namespaces", "ns"),
  definition("NetworkStatuses.net.talos.dev", "networkstatuses", "ns"),
];

const rows: readonly [word: string, at: number][] = [
  ["link", 0],
  ["LINKS", 0],
  ["linkspecs.net", 1],
  ["LinkSpecs.net.talos.dev", 1],
  ["linkstatuses.net.talos.dev", 0],
  ["ns", 2],
];
for (const [word, at] of rows) {
  Deno.test(`resourceType() ${word}`, () => strictEqual(resourceType(word, TYPES), TYPES[at]));
}

Deno.test("resourceType() refuses what is ambiguous or unknown", () => {
  throws(() => resourceType("ls", TYPES), (error) => {
    ok(error instanceof UsageError);
    ok(error.message.includes("linkspecs.net.talos.dev, linkstatuses.net.talos.dev"), error.message);
    return error.unknown === undefined;
  });
  throws(() => resourceType("lnk", TYPES), (error) => {
    ok(error instanceof UsageError);
    deepStrictEqual(error.unknown?.candidates.slice(2, 4), ["link", "links"]);
    return error.unknown?.name === "lnk";
  });
});
