import { ApiClient, ApiError, type CallOptions, parseEndpoint } from "../api/mod.ts";
import { callFailure } from "./call_failure.ts";
import type { CommandContext } from "./command.ts";
import { errorLine, EXIT } from "./command_line.ts";
import { UsageError } from "./flags.ts";
import { type Connection, loadConnection } from "./talosconfig.ts";

/** A node that a command is for, and how it is called. */
export interface Target {
  /** As the user named it; the column NODE. */
  readonly node: string;
  readonly client: ApiClient;
  /** Goes with every call. */
  readonly options: CallOptions;
  /** Another client with connections of its own: those of `client` may hang when the machine went away. */
  open(): ApiClient;
}

/** What one node answered. */
export interface Answer<T> {
  readonly node: string;
  readonly value: T;
}

/** The nodes that a command is for. Disposing closes the connections. */
export class Targets implements Disposable {
  readonly connection: Connection;
  readonly all: readonly Target[];

  constructor(connection: Connection) {
    this.connection = connection;
    this.all = targetsOf(connection);
  }

  /**
   * Calls all nodes at once; answers come in the order of the nodes. A node that fails is told on stderr at once, in one
   * line, unless it is the only one.
   * @param doing stands between "Cannot" and the node, as in `get links from`.
   * @throws the failure of the only node, and BrokenPipe when nobody reads any more.
   */
  async each<T>(
    context: Pick<CommandContext, "stderr">,
    doing: string,
    work: (target: Target) => Promise<T>,
  ): Promise<{ answers: Answer<T>[]; exitCode: number }> {
    const answers: Answer<T>[] = [];
    const errors: unknown[] = [];
    await Promise.all(this.all.map(async (target, at) => {
      const { node } = target;
      try {
        answers[at] = { node, value: await work(target) };
      } catch (cause) {
        if (cause instanceof Deno.errors.BrokenPipe) throw cause; // nobody reads what the others say either
        const call = { node, doing, connection: this.connection };
        const error = cause instanceof ApiError ? await callFailure(cause, call) : cause;
        if (this.all.length === 1) throw error;
        errors.push(error);
        context.stderr.write(await errorLine(error));
      }
    }));
    return { answers: answers.filter((answer) => answer !== undefined), exitCode: exitCodeOf(errors) };
  }

  [Symbol.dispose](): void {
    for (const client of new Set(this.all.map(({ client }) => client))) client[Symbol.dispose]();
  }
}

function exitCodeOf(errors: readonly unknown[]): number {
  if (errors.length === 0) return EXIT.success;
  return errors.every((error) => error instanceof UsageError) ? EXIT.usage : EXIT.failure;
}

/**
 * Opens connections for a command.
 * @throws {TalosconfigError} see {@linkcode loadConnection}
 * @throws {UsageError} no node is named where there are several endpoints.
 */
export async function openTargets(context: CommandContext): Promise<Targets> {
  return new Targets(await loadConnection(context));
}

/** A node that is an endpoint itself is called there; the endpoints in turn pass calls on to all others. */
function targetsOf({ endpoints, nodes, credentials, contextName }: Connection): Target[] {
  if (nodes.length === 0 && endpoints.length > 1) {
    throw new UsageError(
      `Cannot choose a node: context "${contextName}" has ${endpoints.length} endpoints and no nodes; name one with --nodes`,
    );
  }
  const opener = (endpoints: readonly string[]) => () => new ApiClient({ endpoints, ...credentials });
  const openShared = opener(endpoints);
  let shared: ApiClient | undefined;
  return [...new Set(nodes.length > 0 ? nodes : endpoints.map(hostOf))].map((node) => {
    const own = endpoints.filter((endpoint) => isSameHost(endpoint, node));
    if (own.length === 1) return { node, client: opener(own)(), options: {}, open: opener(own) };
    shared ??= openShared();
    return { node, client: shared, options: { node }, open: openShared };
  });
}

function hostOf(endpoint: string): string {
  return parseEndpoint(endpoint).host;
}

function isSameHost(endpoint: string, node: string): boolean {
  try {
    return parseEndpoint(endpoint).host === parseEndpoint(node).host;
  } catch (error) {
    if (error instanceof SyntaxError) return false; // a node may have a name that is no endpoint
    throw error;
  }
}
