import { ORIGIN_ANNOTATION_PREFIX, SOURCE_ANNOTATION } from "../../resources/network/layer.ts";
import { ApiError, ResourceClient, ResourceCodec } from "../api/mod.ts";
import {
  type CausingObject,
  formatVersion,
  type Pointer,
  type Resource,
  writeCauseId,
  WriteCauses,
  type WriteCauseSpec,
} from "../cosi/mod.ts";
import type { CommandContext } from "./command.ts";
import { typeOn } from "./get.ts";
import { formatTable } from "./table.ts";
import { openTargets, type Target } from "./targets.ts";

/** What `explain` is asked for. */
export interface ExplainOptions {
  /** A type or an alias of one. */
  readonly type: string;
  readonly id: string;
  /** The type's own when left out or empty. */
  readonly namespace: string | undefined;
}

/** One object of a chain of causes, and the objects that led to it. */
export interface Explanation {
  /** What the chain says it was: the version that counted then. */
  readonly object: CausingObject;
  /** As it is now; undefined when it is gone or may not be read. */
  readonly current: Pick<Resource, "metadata"> | undefined;
  /** Undefined when no controller of the node wrote it, or that is not known any more. */
  readonly cause: WriteCauseSpec | undefined;
  readonly objects: readonly Explanation[];
}

/** `explain`: why a resource is as it is, from each node. */
export async function runExplain(context: CommandContext, options: ExplainOptions): Promise<number> {
  using targets = await openTargets(context);
  const doing = `explain ${options.type} "${options.id}" from`;
  const { answers, exitCode } = await targets.each(context, doing, (target) => explain(target, options));
  for (const [at, { node, value }] of answers.entries()) {
    if (targets.all.length > 1) context.stdout.write(`${at === 0 ? "" : "\n"}NODE: ${node}\n`);
    context.stdout.write(explanationText(value));
  }
  return exitCode;
}

/** Longer chains are cut. */
const MAX_DEPTH = 16;

async function explain(target: Target, { type: word, id, namespace }: ExplainOptions): Promise<Explanation> {
  const { type, defaultNamespace } = await typeOn(target, word);
  const { client, options } = target;
  const reader = new ResourceClient(client);
  const pointer = { namespace: namespace || defaultNamespace, type, id };
  const current = await reader.get(pointer, options);
  const seen = new Set<string>();
  const causes = new ResourceClient(
    client,
    new ResourceCodec((name) => name === WriteCauses.type ? WriteCauses : undefined),
  );

  async function follow(object: CausingObject, known: Resource | undefined, depth: number): Promise<Explanation> {
    const [current, cause] = await Promise.all([known ?? find(reader, object), causeOf(object)]);
    const next = cause === undefined || depth === MAX_DEPTH ? [] : cause.objects.filter((other) => {
      const key = writeCauseId(other);
      return !seen.has(key) && seen.add(key);
    });
    return { object, current, cause, objects: await Promise.all(next.map((one) => follow(one, undefined, depth + 1))) };
  }

  async function causeOf(object: Pointer): Promise<WriteCauseSpec | undefined> {
    const { namespace, type } = WriteCauses;
    const found = await find(causes, { namespace, type, id: writeCauseId(object) });
    return found?.spec as WriteCauseSpec | undefined; // the codec's definition has it
  }

  function find(from: ResourceClient, pointer: Pointer): Promise<Resource | undefined> {
    return from.get(pointer, options).catch((error) => {
      if (error instanceof ApiError && MISSING.has(error.code)) return undefined;
      throw error;
    });
  }

  seen.add(writeCauseId(pointer));
  return await follow({ ...pointer, version: formatVersion(current.metadata.version) }, current, 0);
}

/** It is gone, or not for this user. */
const MISSING: ReadonlySet<string> = new Set(["NOT_FOUND", "PERMISSION_DENIED"]);

/** The chain as text, from the resource down to what it came from; after it, where each merged field came from. */
export function explanationText(explanation: Explanation): string {
  return [...chainLines(explanation, ""), ...originLines(explanation.current)].map((line) => `${line}\n`).join("");
}

function* chainLines({ object, current, cause, objects }: Explanation, indent: string): Iterable<string> {
  yield `${indent}${objectText(object, current)}`;
  const inner = `${indent}  `;
  if (cause === undefined) {
    if (current?.metadata.owner) yield `${inner}written by ${current.metadata.owner}; why is not known any more`;
    return;
  }
  const read = cause.reason !== "change" && cause.objects.length > 0 ? ", having read" : "";
  yield `${inner}written by ${cause.controller} at ${cause.time}, ${REASONS[cause.reason]}${read}`;
  const shown = new Set(objects.map(({ object }) => writeCauseId(object)));
  for (const one of objects) yield* chainLines(one, `${inner}  `);
  for (const one of cause.objects) {
    if (!shown.has(writeCauseId(one))) yield `${inner}  ${objectText(one, undefined)} (see above)`;
  }
  if (cause.moreObjects > 0) yield `${inner}  and ${cause.moreObjects} more`;
}

const REASONS: Readonly<Record<WriteCauseSpec["reason"], string>> = {
  start: "at its start",
  change: "woken by",
  retry: "trying again after a failure",
  timer: "woken by its timer",
  outside: "woken from outside",
  request: "woken by itself",
  resync: "after a broken watch",
};

function objectText({ namespace, type, id, version }: CausingObject, current: Explanation["current"]): string {
  const source = current?.metadata.annotations.get(SOURCE_ANNOTATION);
  const now = current === undefined ? undefined : formatVersion(current.metadata.version);
  const later = now === undefined || now === version ? "" : `, now ${now}`;
  return `${type} ${namespace}/${id} version ${version}${later}${source === undefined ? "" : ` from ${source}`}`;
}

function originLines(current: Explanation["current"]): string[] {
  const annotations = [...current?.metadata.annotations ?? []].sort(([a], [b]) => a < b ? -1 : 1);
  const rows = annotations.flatMap(([key, value]) => {
    if (!key.startsWith(ORIGIN_ANNOTATION_PREFIX)) return [];
    const [layer = "", ...source] = value.split(" ");
    return [[key.slice(ORIGIN_ANNOTATION_PREFIX.length), layer, source.join(" ")]];
  });
  if (rows.length === 0) return [];
  return ["", ...formatTable([["FIELD", "LAYER", "SOURCE"], ...rows]).trimEnd().split("\n")];
}
