import { isEmpty, type RecordShape, type Shape } from "../schema/mod.ts";
import type { ConfigDocument, V1Alpha1Document } from "./documents.ts";
import { DOCUMENT_SHAPES } from "./schema/kinds.ts";
import { V1ALPHA1 } from "./schema/v1alpha1.ts";

/** What the program reads: whole documents by kind, or single keys. An item of a list is written `[]`. */
const USED: ReadonlySet<string> = new Set([
  "HostnameConfig",
  "LinkConfig",
  "DummyLinkConfig",
  "ResolverConfig.nameservers",
  "ResolverConfig.searchDomains",
  "StaticHostConfig",
  "version",
  "persist",
  "machine.type",
  "machine.token",
  "machine.ca",
  "machine.acceptedCAs",
  "machine.certSANs",
  "machine.sysctls",
  "machine.network.hostname",
  "machine.network.interfaces[].interface",
  "machine.network.interfaces[].addresses",
  "machine.network.interfaces[].routes",
  "machine.network.interfaces[].mtu",
  "machine.network.interfaces[].dummy",
  "machine.network.interfaces[].ignore",
  "machine.network.nameservers",
  "machine.network.searchDomains",
  "machine.network.disableSearchDomain",
  "machine.network.extraHostEntries",
  "machine.features.nodeAddressSortAlgorithm",
  "cluster.clusterName",
  "cluster.controlPlane.endpoint",
  "cluster.id",
  "cluster.secret",
]);

/** Every place above a used one: there the search goes on. */
const ABOVE: ReadonlySet<string> = new Set(
  [...USED].flatMap((path) => {
    const above: string[] = [];
    for (let end = path.lastIndexOf("."); end > 0; end = path.lastIndexOf(".", end - 1)) {
      above.push(path.slice(0, end).replace(/\[\]$/, ""), path.slice(0, end));
    }
    return above;
  }),
);

/** Keys and documents that say something and that nothing uses yet, each once, in the order of the text. */
export function unusedKeys(documents: readonly (ConfigDocument | V1Alpha1Document)[]): readonly string[] {
  const found = new Set<string>();
  for (const document of documents) {
    if (document.kind === "v1alpha1") visitRecord(V1ALPHA1, document.value, "", found);
    else if (USED.has(document.kind)) continue;
    else if (!ABOVE.has(document.kind)) found.add(document.kind);
    else visitRecord(DOCUMENT_SHAPES[document.kind], document.value, document.kind, found);
  }
  return Object.freeze([...found]);
}

function visitRecord(shape: RecordShape, value: object, path: string, found: Set<string>): void {
  for (const [name, member] of Object.entries(value)) {
    const field = shape.fields[name];
    if (field !== undefined) visit(field.shape, member, path === "" ? name : `${path}.${name}`, found);
  }
}

function visit(shape: Shape, value: unknown, path: string, found: Set<string>): void {
  if (USED.has(path) || isBlank(shape, value)) return;
  if (!ABOVE.has(path)) found.add(path);
  else if (shape.kind === "record") visitRecord(shape, value as object, path, found);
  else if (shape.kind === "list") {
    for (const item of value as readonly unknown[]) visit(shape.item, item, `${path}[]`, found);
  }
}

/** Whether a value asks for nothing: empty, or a switch that is off. */
function isBlank(shape: Shape, value: unknown): boolean {
  if (shape.kind === "record") return Object.keys(value as object).length === 0;
  return isEmpty(shape, value);
}
