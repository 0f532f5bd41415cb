import {
  type Handler,
  PlainClient,
  PlainServer,
  RemoteState,
  type RemoteStateOptions,
  ResourceCodec,
  stateHandlers,
} from "../../mod/api/mod.ts";
import { type AnyDefinition, MemoryState, type State } from "../../mod/cosi/mod.ts";
import { Things } from "./state_fixture.ts";

/** What server and client know unless said otherwise. */
export const knowsThings = (type: string): AnyDefinition | undefined => type === Things.type ? Things : undefined;

/** A state behind a server without TLS, which can go and come back on the same port, and a client of it. */
export class ServedState<S extends State = MemoryState> implements AsyncDisposable {
  readonly state: S;
  readonly client: PlainClient;
  readonly #handlers: readonly Handler[];
  /** Where it is reached: `HOST:PORT`. */
  readonly address: string;
  #server: PlainServer;

  private constructor(state: S, handlers: readonly Handler[], server: PlainServer, address: string) {
    this.state = state;
    this.#handlers = handlers;
    this.#server = server;
    this.address = address;
    this.client = new PlainClient(address);
  }

  /** @param keep which handlers are served; all unless said. */
  static async start<S extends State>(
    state: S,
    definition = knowsThings,
    keep: (handler: Handler) => boolean = () => true,
  ): Promise<ServedState<S>> {
    const handlers = stateHandlers(() => state, new ResourceCodec(definition)).filter(keep);
    const server = new PlainServer({ listen: "127.0.0.1:0", handlers });
    return new ServedState(state, handlers, server, await server.listen());
  }

  remote(options: RemoteStateOptions = {}): RemoteState {
    return new RemoteState(this.client, { definition: knowsThings, ...options });
  }

  /** Ends the server; connections break. */
  async stop(): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** Serves again where it was. */
  async comeBack(handlers: readonly Handler[] = this.#handlers): Promise<void> {
    this.#server = new PlainServer({ listen: this.address, handlers });
    await this.#server.listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.stop();
  }
}

/** A served state in memory that lets clients do everything. */
export function serveMemory(): Promise<ServedState> {
  return ServedState.start(new MemoryState());
}
