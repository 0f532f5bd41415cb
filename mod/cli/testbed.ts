import { BOOT_ID_ID, BootIDs } from "../../resources/runtime/boot_id.ts";
import {
  ApiError,
  ApiServer,
  type ApplyRequest,
  clientRule,
  type Handler,
  inspectHandlers,
  type LogOptions,
  type MachineBackend,
  machineHandlers,
  ResourceCodec,
  type ServerCertificates,
  stateHandlers,
} from "../api/mod.ts";
import {
  defineResource,
  DefinitionRegistry,
  FilteredState,
  MemoryState,
  newResource,
  registerDefinitions,
  WriteCauses,
} from "../cosi/mod.ts";
import { type CertificateAndKey, issueCertificate, newAuthority } from "../pki/mod.ts";
import { field } from "../schema/mod.ts";
import { EventBus, LogBuffer, type ServiceSnapshot } from "../supervisor/mod.ts";
import type { CommandContext } from "./command.ts";
import { runCommandLine } from "./command_line.ts";
import { MONOSCTL } from "./monosctl.ts";

/** What the node has some of. */
export interface Thing {
  readonly name: string;
  readonly sizes: readonly number[];
}
const fields = { name: field.string(1), sizes: field.list(2, field.uint32()) };
const columns = [{ name: "Name", path: "{.name}" }, { name: "Sizes", path: "{.sizes}" }];
/** The kind that tests ask for. */
export const Things = defineResource<Thing>()({ type: "Things.test.dev", namespace: "default", columns, fields });
const Others = defineResource<Thing>()({ type: "Others.test.dev", namespace: "default", aliases: ["thing"], fields });
const Secrets = defineResource<Thing>()({ type: "Secrets.test.dev", namespace: "default", sensitive: true, fields });
const REGISTRY = new DefinitionRegistry([Things, Others, Secrets, BootIDs, WriteCauses]);
const NAMESPACES = ["default", "runtime", "meta"];
const HEALTH = { unknown: false, healthy: true, lastMessage: "", lastChangeMs: 0 };

/** A machine with one service; going down changes its boot id. */
export class Machine implements MachineBackend {
  readonly bus = new EventBus();
  readonly log = new LogBuffer();
  readonly state = new MemoryState();
  readonly applied: ApplyRequest[] = [];
  readonly startedMs = Date.now() - 65_000;

  version = () => ({
    ...{ tag: "v1.0.0", sha: "abc", built: "", runtime: "deno 2.9.4", os: "linux", arch: "amd64" },
    ...{ platform: "metal", mode: "container" },
  });
  hostname = () => "node-1";
  services = (): ServiceSnapshot[] => [{
    ...{ id: "etcd", state: "Running", health: HEALTH, restarts: 0, pid: 7 },
    history: [
      { state: "Preparing", message: "creating runner", timeMs: this.startedMs },
      { state: "Running", message: "started", timeMs: this.startedMs + 5000 },
    ],
  }];
  async *logs(id: string, { follow, tailLines, signal }: LogOptions): AsyncIterable<Uint8Array> {
    if (id !== "etcd") throw new ApiError("NOT_FOUND", `Cannot show the log of "${id}": there is no such service`);
    if (follow) yield* this.log.follow(signal, tailLines);
    else yield this.log.read(tailLines);
  }
  events = (query: Parameters<EventBus["follow"]>[0], signal: AbortSignal) => this.bus.follow(query, signal);
  applyConfiguration(request: ApplyRequest) {
    this.applied.push(request);
    const text = new TextDecoder().decode(request.data);
    const wrong = `Cannot read the machine config: line 2, column 3: machine.tpye: unknown key; did you mean "type"?`;
    if (text.includes("tpye")) return Promise.reject(new ApiError("INVALID_ARGUMENT", wrong));
    const modeDetails = request.dryRun ? "Dry run\n-a\n+b\n" : "";
    return Promise.resolve({ mode: "no-reboot", modeDetails, warnings: ["key x is not used"] } as const);
  }
  reboot = () => this.#goDown("reboot", () => this.#setBoot("second"));
  shutdown = () => this.#goDown("shutdown", () => {});

  #goDown(sequence: string, done: () => void): string {
    this.bus.publish({ kind: "sequence", sequence, action: "start" }, "actor-1");
    done();
    const error = { code: "fatal", message: "the fuse is blown" } as const;
    this.bus.publish(
      { kind: "sequence", sequence, action: "stop", ...(sequence === "shutdown" && { error }) },
      "actor-1",
    );
    return "actor-1";
  }

  #setBoot(bootID: string): void {
    const { spec: _before, ...current } = this.state.getNow(newResource(BootIDs, BOOT_ID_ID, { bootID }).metadata);
    this.state.updateNow({ ...current, spec: { bootID } });
  }
}

/** What a command wrote, as it comes. */
export class Output {
  text = "";
  readonly #waiting: { pattern: RegExp; found: () => void }[] = [];

  write = (chunk: string | Uint8Array): void => {
    this.text += chunk;
    for (const { pattern, found } of this.#waiting) if (pattern.test(this.text)) found();
  };

  until(pattern: RegExp): Promise<void> {
    return new Promise((found) => pattern.test(this.text) ? found() : this.#waiting.push({ pattern, found }));
  }
}

/** A command that runs. */
export interface Run {
  readonly out: Output;
  readonly errors: Output;
  readonly leave: AbortController;
  readonly code: Promise<number>;
}

/** A node on loopback, and the command line with a talosconfig for it; for tests. */
export class TestNode implements AsyncDisposable {
  readonly machine: Machine;
  readonly authority: CertificateAndKey;
  readonly server: ApiServer;
  /** Where its talosconfig is. */
  readonly folder: string;
  port = 0;

  private constructor(machine: Machine, authority: CertificateAndKey, folder: string) {
    this.machine = machine;
    this.authority = authority;
    this.folder = folder;
    this.server = new ApiServer({
      hostname: "127.0.0.1",
      port: 0,
      certificates: serverCertificates(authority),
      handlers: handlersOf(machine),
      isLocal: (name) => name === "127.0.0.1" || name === "node-1",
    });
  }

  static async start(): Promise<TestNode> {
    const machine = new Machine();
    await registerDefinitions(machine.state, REGISTRY.all, NAMESPACES.map((name) => ({ name, description: "" })));
    machine.state.createNow(newResource(BootIDs, BOOT_ID_ID, { bootID: "first" }));
    const node = new TestNode(machine, await testAuthority(), await Deno.makeTempDir());
    node.port = await node.server.listen();
    await node.write(clientIdentity(node.authority, ["os:admin"]));
    return node;
  }

  /** Writes the talosconfig. */
  async write(identity: CertificateAndKey, ca: string = this.authority.crtPem, port = this.port): Promise<void> {
    const [caText, crt, key] = [ca, identity.crtPem, identity.keyPem].map(btoa);
    const context = { endpoints: [`127.0.0.1:${port}`], ca: caText, crt, key };
    await Deno.writeTextFile(this.path, JSON.stringify({ context: "demo", contexts: { demo: context } }));
  }

  get path(): string {
    return `${this.folder}/talosconfig`;
  }

  thing(id: string, spec: Thing): void {
    this.machine.state.createNow(newResource(Things, id, spec));
  }

  start(line: string): Run {
    const [out, errors, leave] = [new Output(), new Output(), new AbortController()];
    const base: Omit<CommandContext, "globals"> = {
      stdout: out,
      stderr: errors,
      env: (name) => name === "TALOSCONFIG" ? this.path : undefined,
      confirm: () => false,
      interrupted: () => leave.signal,
    };
    return { out, errors, leave, code: runCommandLine(MONOSCTL, line.split(" "), base) };
  }

  /** Output and errors of a command that ends by itself, and its exit code. */
  async run(line: string): Promise<{ out: string; errors: string; code: number }> {
    const { out, errors, code } = this.start(line);
    return { code: await code, out: out.text, errors: errors.text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
    await this.server[Symbol.asyncDispose]();
  }
}

function handlersOf(machine: Machine): Handler[] {
  const catalog = {
    definition: (type: string) => REGISTRY.byType(type),
    hasNamespace: (name: string) => NAMESPACES.includes(name),
  };
  return [
    ...stateHandlers(
      ({ roles }) => new FilteredState(machine.state, clientRule(catalog, () => roles.has("os:admin"))),
      new ResourceCodec((type) => REGISTRY.byType(type)),
    ),
    ...machineHandlers(machine),
    ...inspectHandlers(() => [
      { controller: "a.Writer", edge: "outputExclusive", namespace: "", type: Things.type, id: "" },
      { controller: "b.Reader", edge: "inputWeak", namespace: "default", type: Things.type, id: "x" },
    ]),
  ];
}

/** An authority as the secrets of a cluster hold it. */
export function testAuthority(): Promise<CertificateAndKey> {
  return newAuthority({ organization: "talos", kind: "ed25519", years: 1 });
}

/** What the node shows, and whom it admits. */
export function serverCertificates(authority: CertificateAndKey, validSeconds = 3600): ServerCertificates {
  const ips = ["127.0.0.1"];
  const identity = issueCertificate({ authority, subject: {}, ips, usage: "server", validSeconds });
  return { ...identity, acceptedCaPems: [authority.crtPem] };
}

/** A client's certificate with these roles. */
export function clientIdentity(
  authority: CertificateAndKey,
  roles: readonly string[],
  validSeconds = 3600,
): CertificateAndKey {
  return issueCertificate({ authority, subject: { organization: roles }, usage: "client", validSeconds });
}
