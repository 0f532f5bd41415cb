import { isEqual, toYaml } from "../schema/mod.ts";
import { parseDocuments } from "./decode.ts";
import type { MachineConfigDocuments } from "./documents.ts";
import { plainDocument } from "./encode.ts";
import { NodeReader } from "./node_reader.ts";
import { ConfigError, type Problem } from "./problem.ts";

/** One operation, as RFC 6902 names its members. */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string | undefined;
  readonly value: unknown;
}
type Container = Record<string, unknown> | unknown[];

/** Whether a patch is a list of operations, in JSON or YAML. */
export function isJsonPatch(patch: string): boolean {
  return /^\s*(\[|- )/.test(patch.replaceAll(/^\s*(#.*|---)?$/gm, ""));
}

/**
 * The text of a config of one document after the operations of a JSON patch.
 * @throws {ConfigError} several documents, an operation that does not apply, or a failed test.
 */
export function applyJsonPatch(config: MachineConfigDocuments, patch: string): string {
  const [only] = config.documents;
  if (config.documents.length !== 1 || only?.kind !== "v1alpha1") {
    refuse("a JSON patch fits a config of the v1alpha1 document alone; use a merge patch");
  }
  let value: unknown = structuredClone(plainDocument(only));
  for (const [index, operation] of operationsOf(patch).entries()) value = apply(value, operation, index);
  return toYaml(value);
}

function refuse(message: string, path = ""): never {
  throw new ConfigError("patch", [{ document: 1, line: 1, column: 1, path, message }]);
}

function operationsOf(patch: string): readonly Operation[] {
  const [first] = parseDocuments(patch);
  const error = first?.document.errors[0];
  if (first === undefined || error !== undefined) refuse(`the patch is not YAML: ${error?.message ?? "empty"}`);
  const problems: Problem[] = [];
  const list = new NodeReader(first.lines, 1, problems).free(first.document.contents);
  if (problems.length > 0) throw new ConfigError("read the patch of", problems);
  if (!Array.isArray(list)) refuse("the patch is no list of operations");
  return list.map((each, index) => {
    if (typeof each !== "object" || each === null) refuse("expected an operation", `[${index}]`);
    const { op, path, from, value } = each as Readonly<Record<string, unknown>>;
    if (typeof op !== "string" || typeof path !== "string") refuse("expected op and path", `[${index}]`);
    if ((op === "move" || op === "copy") && typeof from !== "string") refuse("expected from", `[${index}]`);
    return { op, path, from: typeof from === "string" ? from : undefined, value };
  });
}

function apply(root: unknown, { op, path, from = "", value }: Operation, index: number): unknown {
  const at = `[${index}]`;
  switch (op) {
    case "add":
      return put(root, path, value, "add", at);
    case "replace": // stricter tools refuse a key that is not there; existing patches count on its being added
      return put(root, path, value, "replace", at);
    case "remove":
      return take(root, path, at);
    case "copy":
      return put(root, path, structuredClone(lookUp(root, from, at)), "add", at);
    case "move": {
      if (path.startsWith(`${from}/`)) refuse("nothing moves into itself", at);
      const moved = lookUp(root, from, at);
      return put(take(root, from, at), path, moved, "add", at);
    }
    case "test":
      if (!isEqual(lookUp(root, path, at), value)) refuse(`the test of ${path} failed`, at);
      return root;
    default:
      refuse(`no such operation "${op}"`, at);
  }
}

function stepsOf(pointer: string, at: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) refuse(`expected a path such as /machine/type, found "${pointer}"`, at);
  return pointer.slice(1).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function lookUp(root: unknown, pointer: string, at: string): unknown {
  let value = root;
  for (const step of stepsOf(pointer, at)) {
    const known = Array.isArray(value) ? isIndex(step, value.length - 1) : Object.hasOwn(Object(value), step);
    if (typeof value !== "object" || value === null || !known) refuse(`there is nothing at ${pointer}`, at);
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

function isIndex(step: string, last: number): boolean {
  return /^(0|[1-9]\d*)$/.test(step) && Number(step) <= last;
}

/** The container that holds the last step of a path, and that step. */
function parentOf(root: unknown, pointer: string, at: string): { parent: Container; step: string } {
  const end = pointer.lastIndexOf("/");
  const parent = lookUp(root, pointer.slice(0, Math.max(end, 0)), at);
  const step = stepsOf(pointer, at).at(-1);
  if (typeof parent !== "object" || parent === null || step === undefined) refuse(`nothing fits at ${pointer}`, at);
  return { parent: parent as Container, step };
}

function put(root: unknown, pointer: string, value: unknown, how: "add" | "replace", at: string): unknown {
  if (pointer === "") return value;
  const { parent, step } = parentOf(root, pointer, at);
  if (!Array.isArray(parent)) parent[step] = value;
  else {
    const index = step === "-" ? parent.length : isIndex(step, parent.length) ? Number(step) : -1;
    if (index < 0 || (how === "replace" && index === parent.length)) refuse(`the list has no place ${step}`, at);
    parent.splice(index, how === "add" ? 0 : 1, value);
  }
  return root;
}

function take(root: unknown, pointer: string, at: string): unknown {
  lookUp(root, pointer, at);
  const { parent, step } = parentOf(root, pointer, at);
  if (Array.isArray(parent)) parent.splice(Number(step), 1);
  else delete parent[step];
  return root;
}
