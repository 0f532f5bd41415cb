import {
  API_PORT,
  ApiServer,
  clientRule,
  fileHandlers,
  inspectHandlers,
  type MachineBackend,
  machineHandlers,
  ResourceCodec,
  ROLES,
  type ServerCertificates,
  stateHandlers,
} from "../api/mod.ts";
import { SequenceLockedError } from "../boot/mod.ts";
import { ConfigError } from "../config/mod.ts";
import { type DefinitionRegistry, type DependencyEdge, FilteredState, type State } from "../cosi/mod.ts";
import {
  inProcess,
  type Notifier,
  type RunContext,
  type ServiceDefinition,
  ServiceNotFoundError,
  ServiceStateError,
} from "../supervisor/mod.ts";

/** Id of the machine API's service. */
export const API_SERVICE_ID = "apid";

/** What was sent before the API stops has that long to arrive, such as the last events of the way down. */
const DRAIN_MS = 200;

/** What the API serves with, as it changes. */
export interface CertificateSource {
  /** Undefined until there are any. */
  current(): ServerCertificates | undefined;
  readonly changes: Pick<Notifier, "subscribe" | "next">;
}

/** What the API is made of. */
export interface ApiParts {
  readonly state: State;
  readonly registry: DefinitionRegistry;
  readonly namespaces: ReadonlySet<string>;
  readonly backend: MachineBackend;
  readonly certificates: CertificateSource;
  dependencies(): readonly DependencyEdge[];
  /** Whether a name or address is this node's own. */
  isLocal(name: string): boolean;
}

/** The machine API, on all addresses of the node. It waits for its certificates, and takes new ones as they come. */
export function apiService(parts: ApiParts): ServiceDefinition {
  const { certificates } = parts;
  return {
    id: API_SERVICE_ID,
    stopsLast: true, // who asked for a shutdown gets the answer, and its events
    conditions: [{
      description: "certificates of the API",
      async wait(signal) {
        while (certificates.current() === undefined && !signal.aborted) await certificates.changes.next(signal);
      },
    }],
    run: inProcess((context) => serve(parts, context)),
  };
}

async function serve(parts: ApiParts, { log }: RunContext): Promise<AsyncDisposable> {
  const { state, registry, namespaces, backend, isLocal } = parts;
  const first = parts.certificates.current();
  if (first === undefined) throw new Error("Cannot serve the API: it has no certificates");
  const codec = new ResourceCodec((type) => registry.byType(type));
  const catalog = {
    definition: (type: string) => registry.byType(type),
    hasNamespace: (name: string) => namespaces.has(name),
  };
  const server = new ApiServer({
    hostname: "::",
    port: API_PORT,
    certificates: first,
    handlers: [
      ...stateHandlers(
        ({ roles }) => new FilteredState(state, clientRule(catalog, () => roles.has(ROLES.admin))),
        codec,
      ),
      ...machineHandlers(backend),
      ...fileHandlers(),
      ...inspectHandlers(() => parts.dependencies()),
    ],
    isLocal,
    errorRows: [
      { error: ServiceNotFoundError, code: "NOT_FOUND" },
      { error: ServiceStateError, code: "FAILED_PRECONDITION" },
      { error: SequenceLockedError, code: "FAILED_PRECONDITION" },
      { error: ConfigError, code: "INVALID_ARGUMENT" },
    ],
    onListenerError: (error) => log.writeLine(`Cannot accept a connection: ${error.message}`),
  });
  const port = await server.listen();
  log.writeLine(`listening on port ${port}`);
  let shown = first;
  const follow = parts.certificates.changes.subscribe(() => {
    const next = parts.certificates.current();
    if (next === undefined || next === shown) return;
    shown = next;
    try {
      server.setCertificates(next);
      log.writeLine("serving with new certificates");
    } catch (error) {
      log.writeLine(`Cannot take new certificates: ${error instanceof Error ? error.message : error}`);
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      follow[Symbol.dispose]();
      await server.drain(DRAIN_MS);
      await server[Symbol.asyncDispose]();
    },
  };
}
