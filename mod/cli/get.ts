import { ResourceClient, ResourceCodec } from "../api/mod.ts";
import { ResourceDefinitions, type ResourceDefinitionSpec } from "../cosi/mod.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "./flags.ts";
import { JsonPathError } from "./jsonpath.ts";
import { type Entry, type OutputForm, type ResourcePrinter, resourcePrinter } from "./resource_printer.ts";
import { resourceType } from "./resource_type.ts";
import { openTargets, type Target, type Targets } from "./targets.ts";

/** What `get` is asked for. */
export interface GetOptions {
  /** A type or an alias of one. */
  readonly type: string;
  /** All resources of the type when left out. */
  readonly id: string | undefined;
  /** The type's own when left out or empty. */
  readonly namespace: string | undefined;
  readonly output: OutputForm;
  readonly watch: boolean;
}

/** `get`: resources of one type from all nodes, once or as they change. */
export async function runGet(context: CommandContext, options: GetOptions): Promise<number> {
  const print = printerFor(options);
  using targets = await openTargets(context);
  const doing = `get ${options.type}${options.id === undefined ? "" : ` "${options.id}"`} from`;
  if (options.watch) return await watch(context, targets, { ...options, doing, print });
  const { answers, exitCode } = await targets.each(context, doing, (target) => read(target, options));
  const entries = answers.flatMap(({ value }) => value.entries);
  const [first] = answers;
  if (first === undefined) return exitCode;
  const { definition, namespace } = first.value;
  if (entries.length > 0) context.stdout.write(print(definition, entries));
  else context.stderr.write(`no ${definition.type} in namespace ${namespace}\n`);
  return exitCode;
}

function printerFor({ output, watch }: GetOptions): ResourcePrinter {
  try {
    return resourcePrinter(output, { isWatch: watch });
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(error.message);
    throw error;
  }
}

/** The definition on a node of the type that a word means. @throws {UsageError} see `resourceType`. */
export async function typeOn(target: Target, word: string): Promise<ResourceDefinitionSpec> {
  return resourceType(word, await typesOn(target));
}

/** All types of a node. The definitions come as records; all other specs stay as the node wrote them. */
export async function typesOn({ client, options }: Target): Promise<ResourceDefinitionSpec[]> {
  const { type, namespace } = ResourceDefinitions;
  const codec = new ResourceCodec((name) => name === type ? ResourceDefinitions : undefined);
  const found = await new ResourceClient(client, codec).list({ namespace, type }, options);
  return found.map(({ spec }) => spec as ResourceDefinitionSpec); // the codec's definition has it
}

async function read(target: Target, { type: word, id, namespace: wanted }: GetOptions) {
  const definition = await typeOn(target, word);
  const { type, defaultNamespace } = definition;
  const namespace = wanted || defaultNamespace;
  const { client, node, options } = target;
  const reader = new ResourceClient(client);
  const found = id === undefined
    ? await reader.list({ namespace, type }, options)
    : [await reader.get({ namespace, type, id }, options)];
  return { definition, namespace, entries: found.map((resource): Entry => ({ node, resource })) };
}

interface WatchSetup extends GetOptions {
  readonly doing: string;
  readonly print: ResourcePrinter;
}

/** Shows what exists in one piece, so that columns fit it, then each change as it comes. */
async function watch(context: CommandContext, targets: Targets, setup: WatchSetup): Promise<number> {
  const signal = context.interrupted();
  const { exitCode } = await targets.each(context, setup.doing, async (target) => {
    try {
      await follow(target, setup, signal, (text) => context.stdout.write(text));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
  return exitCode;
}

async function follow(
  target: Target,
  { type: word, id, namespace: wanted, print }: WatchSetup,
  signal: AbortSignal,
  write: (text: string) => void,
): Promise<void> {
  const { node, client, options } = target;
  const definition = await typeOn(target, word);
  const { type, defaultNamespace } = definition;
  const kind = { namespace: wanted || defaultNamespace, type, ...(id !== undefined && { id }) };
  const show = (entries: readonly Entry[]) => write(print(definition, entries));
  let first: Entry[] | undefined = id === undefined ? [] : undefined;
  const events = new ResourceClient(client).watch(kind, { bootstrapContents: id === undefined, signal, ...options });
  for await (const { type: event, resource, error } of events) {
    if (event === "errored") throw error ?? new Error(`Cannot watch ${type}: the node ended the watch`);
    if (event === "bootstrapped") {
      show(first ?? []);
      first = undefined;
    } else if (event === "noop") continue;
    else if (first !== undefined) first.push({ node, resource, event });
    else show([{ node, resource, event }]);
  }
}
