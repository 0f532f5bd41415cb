import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  ApiError,
  type ApplyRequest,
  clientRule,
  filterState,
  inspectHandlers,
  type LogOptions,
  type MachineBackend,
  machineHandlers,
  ResourceCodec,
  stateHandlers,
} from "../api/mod.ts";
import { clientIdentity, testAuthority, Testbed } from "../api/testbed.ts";
import { BOOT_ID_ID, BootIDs } from "../../resources/runtime/boot_id.ts";
import { defineResource, DefinitionRegistry, MemoryState, newResource, registerDefinitions } from "../cosi/mod.ts";
import { type CertificateAndKey, issueCertificate } from "../pki/mod.ts";
import { field } from "../schema/mod.ts";
import { EventBus, LogBuffer, type ServiceSnapshot } from "../supervisor/mod.ts";
import { VERSION } from "../version/mod.ts";
import type { CommandContext } from "./command.ts";
import { runCommandLine } from "./command_line.ts";
import { MONOSCTL } from "./monosctl.ts";

interface Thing {
  readonly name: string;
  readonly sizes: readonly number[];
}
const fields = { name: field.string(1), sizes: field.list(2, field.uint32()) };
const columns = [{ name: "Name", path: "{.name}" }, { name: "Sizes", path: "{.sizes}" }];
const Things = defineResource<Thing>()({ type: "Things.test.dev", namespace: "default", columns, fields });
const Others = defineResource<Thing>()({ type: "Others.test.dev", namespace: "default", aliases: ["thing"], fields });
const Secrets = defineResource<Thing>()({ type: "Secrets.test.dev", namespace: "default", sensitive: true, fields });
const REGISTRY = new DefinitionRegistry([Things, Others, Secrets, BootIDs]);
const HEALTH = { unknown: false, healthy: true, lastMessage: "", lastChangeMs: 0 };

/** A machine with one service; going down changes its boot id. */
class Machine implements MachineBackend {
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
class Output {
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

interface Run {
  readonly out: Output;
  readonly errors: Output;
  readonly leave: AbortController;
  readonly code: Promise<number>;
}

/** A node on loopback, and the command line with a talosconfig for it. */
class Node implements AsyncDisposable {
  private constructor(readonly machine: Machine, readonly bed: Testbed, readonly folder: string) {}

  static async start(): Promise<Node> {
    const machine = new Machine();
    const namespaces = ["default", "runtime", "meta"];
    const described = namespaces.map((name) => ({ name, description: "" }));
    await registerDefinitions(machine.state, REGISTRY.all, described);
    machine.state.createNow(newResource(BootIDs, BOOT_ID_ID, { bootID: "first" }));
    const catalog = {
      definition: (type: string) => REGISTRY.byType(type),
      hasNamespace: (name: string) => namespaces.includes(name),
    };
    const bed = await Testbed.start([
      ...stateHandlers(
        ({ roles }) => filterState(machine.state, clientRule(catalog, () => roles.has("os:admin"))),
        new ResourceCodec((type) => REGISTRY.byType(type)),
      ),
      ...machineHandlers(machine),
      ...inspectHandlers(() => [
        { controller: "a.Writer", type: "outputExclusive", namespace: "", resourceType: Things.type, id: "" },
        { controller: "b.Reader", type: "inputWeak", namespace: "default", resourceType: Things.type, id: "x" },
      ]),
    ]);
    const node = new Node(machine, bed, await Deno.makeTempDir());
    await node.write(clientIdentity(bed.authority, ["os:admin"]));
    return node;
  }

  /** Writes the talosconfig. */
  async write(identity: CertificateAndKey, ca: string = this.bed.authority.crtPem, port = this.bed.port) {
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
    await this.bed[Symbol.asyncDispose]();
  }
}

Deno.test("get: table, one object, jsonpath, json, nothing there", async () => {
  await using node = await Node.start();
  node.thing("b", { name: "second", sizes: [1, 2] });
  node.thing("a", { name: "first: one", sizes: [] });
  const table = [
    "NODE        NAMESPACE   TYPE    ID   VERSION   NAME         SIZES",
    "127.0.0.1   default     Thing   a    1         first: one   []",
    "127.0.0.1   default     Thing   b    1         second       [1,2]",
    "",
  ].join("\n");
  for (const type of ["things", "Things", "things.test", "Things.test.dev"]) {
    deepStrictEqual(await node.run(`get ${type}`), { code: 0, out: table, errors: "" });
  }
  strictEqual((await node.run("get things b -o jsonpath={.metadata.id}={.spec.sizes[1]}")).out, "b=2\n");
  const { out } = await node.run("get -o json things b");
  const { node: name, metadata: { owner, version }, spec } = JSON.parse(out);
  deepStrictEqual({ name, owner, version }, { name: "127.0.0.1", owner: null, version: 1 });
  deepStrictEqual(spec, { name: "second", sizes: [1, 2] });
  const empty = await node.run("get others");
  deepStrictEqual(empty, { code: 0, out: "", errors: "no Others.test.dev in namespace default\n" });
  match((await node.run("get rd things.test.dev")).out, /meta +ResourceDefinition +things\.test\.dev +1 +thing\n$/);
});

Deno.test("get -o yaml separates documents and shows metadata and spec as the node does", async () => {
  await using node = await Node.start();
  node.thing("a", { name: "first", sizes: [7] });
  node.thing("b", { name: "b", sizes: [] });
  const { out } = await node.run("get things -o yaml");
  const [first = "", second = ""] = out.split("---\n");
  strictEqual(
    first.replaceAll(/ted: .*/g, "ted: …"),
    [
      "node: 127.0.0.1",
      "metadata:",
      "    namespace: default",
      "    type: Things.test.dev",
      "    id: a",
      "    version: 1",
      "    owner:",
      "    phase: running",
      "    created: …",
      "    updated: …",
      "spec:",
      "    name: first",
      "    sizes:",
      "        - 7",
      "",
    ].join("\n"),
  );
  match(second, /^node: 127\.0\.0\.1\nmetadata:\n[^]* id: b\n/);
});

Deno.test("get -w shows what is there, then changes, until the user leaves", async () => {
  await using node = await Node.start();
  const { state } = node.machine;
  node.thing("a", { name: "first", sizes: [] });
  const { out, leave, code } = node.start("get things -w");
  await out.until(/first/);
  const a = state.getNow(newResource(Things, "a", { name: "", sizes: [] }).metadata);
  state.updateNow({ ...a, spec: { name: "changed", sizes: [] } });
  await out.until(/changed/);
  state.destroyNow(a.metadata);
  await out.until(/ - .*\n/);
  leave.abort();
  strictEqual(await code, 0);
  deepStrictEqual(out.text.split("\n").map((line) => line.trimEnd()), [
    "NODE        *   NAMESPACE   TYPE    ID   VERSION   NAME    SIZES",
    "127.0.0.1   +   default     Thing   a    1         first   []",
    "127.0.0.1       default     Thing   a    2         changed   []",
    "127.0.0.1   -   default     Thing   a    2         changed   []",
    "",
  ]);
  const one = node.start("get things a -w -o yaml");
  await one.out.until(/event: destroyed/);
  node.thing("a", { name: "again", sizes: [] });
  await one.out.until(/event: created\n[^]*name: again/);
  one.leave.abort();
  strictEqual(await one.code, 0);
});

Deno.test("get: wrong types, templates and objects are told with the way out", async () => {
  await using node = await Node.start();
  const rows: readonly [line: string, code: number, error: RegExp][] = [
    ["get thinks", 2, /"thinks": there is no such type.*; did you mean "things"\?/],
    ["get thing", 2, /"thing": it may mean others\.test\.dev, things\.test\.dev; write one/],
    ["get things -o jsonpath={.a", 2, /"\}" is missing/],
    ["get things -o ymal", 2, /Cannot use "-o": "ymal" is not one of.*did you mean "yaml"/],
    ["get things nobody", 1, /^error: Cannot get things "nobody" from 127\.0\.0\.1: [^\n]*\n$/],
    ["get things --namespace nowhere", 1, /Cannot get things from 127\.0\.0\.1: .*nowhere/],
    ["gte things", 2, /did you mean "get"/],
    ["get", 2, /it needs TYPE/],
  ];
  for (const [line, code, error] of rows) {
    const result = await node.run(line);
    strictEqual(result.code, code, line);
    match(result.errors, error);
    strictEqual(result.out, "");
  }
});

Deno.test("several nodes: answers of those that answer, errors of the others, exit code 1", async () => {
  await using node = await Node.start();
  node.thing("a", { name: "x", sizes: [] });
  const { out, errors, code } = await node.run("-n 127.0.0.1,10.99.0.9 get things");
  match(out, /^NODE.*\n127\.0\.0\.1 .*\n$/);
  match(errors, /^error: Cannot get things from 10\.99\.0\.9: cannot reach "10\.99\.0\.9" through this node[^\n]*\n$/);
  strictEqual(code, 1);
  const both = await node.run("-n 127.0.0.1,node-1 get things");
  match(both.out, /^NODE.*\n127\.0\.0\.1 .*\nnode-1 .*\n$/);
  const vague = await node.run("-e 10.0.0.1,10.0.0.2 get things");
  match(vague.errors, /2 endpoints and no nodes; name one with --nodes/);
  strictEqual(vague.code, 2);
});

Deno.test("version: client alone, and both in two forms", async () => {
  await using node = await Node.start();
  strictEqual((await node.run("version --client --short")).out, `Client: Monos ${VERSION}\n`);
  strictEqual((await node.run("version --short")).out, `Client: Monos ${VERSION}\nServer 127.0.0.1: v1.0.0\n`);
  const { out } = await node.run("version");
  const server = [
    "Server:",
    "\tNODE:        127.0.0.1",
    "\tTag:         v1.0.0",
    "\tSHA:         abc",
    "\tBuilt:",
    "\tRuntime:     deno 2.9.4",
    "\tOS/Arch:     linux/amd64",
    "\tPlatform:    metal (container)",
    "",
  ].join("\n");
  ok(out.startsWith(`Client:\n\tName:        Monos\n\tTag:         ${VERSION}\n`) && out.endsWith(server), out);
});

Deno.test("services: table, one with its history, actions that the node does not know", async () => {
  await using node = await Node.start();
  match(
    (await node.run("services")).out,
    /^NODE +SERVICE +STATE +HEALTH +LAST CHANGE +LAST EVENT\n127\.0\.0\.1 +etcd +Running +OK +1m\ds ago +started\n$/,
  );
  match(
    (await node.run("service etcd")).out,
    /^NODE +127\.0\.0\.1\nID +etcd\nSTATE +Running\nHEALTH +OK\nEVENTS +\[Running\]: started \(1m\ds ago\)\n +\[Preparing\]: creating runner \(1m\ds ago\)\n$/,
  );
  const unknown = await node.run("service ectd");
  match(unknown.errors, /did you mean "etcd"/);
  const restart = await node.run("service etcd restart");
  match(restart.errors, /^error: Cannot restart "etcd" on 127\.0\.0\.1: [^\n]+\n$/);
  strictEqual(restart.code, 1);
  match((await node.run("service etcd retsart")).errors, /did you mean "restart"/);
});

Deno.test("logs: last lines, following, unknown service", async () => {
  await using node = await Node.start();
  for (const line of ["one", "", "three"]) node.machine.log.writeLine(line);
  strictEqual((await node.run("logs etcd")).out, "127.0.0.1: one\n127.0.0.1: \n127.0.0.1: three\n");
  strictEqual((await node.run("logs etcd --tail 1")).out, "127.0.0.1: three\n");
  match((await node.run("logs nobody")).errors, /^error: Cannot show the log of "nobody" on 127\.0\.0\.1: .*\n$/);
  const { out, leave, code } = node.start("logs etcd -f --tail 0");
  const { log } = node.machine;
  const written = setInterval(() => log.writeLine("four"), 5); // until the follower has come
  await out.until(/^127\.0\.0\.1: four\n/);
  clearInterval(written);
  leave.abort();
  strictEqual(await code, 0);
});

Deno.test("events: past ones of an actor, then new ones", async () => {
  await using node = await Node.start();
  const { bus } = node.machine;
  const first = bus.publish({ kind: "task", task: "mount", action: "start" }, "me");
  bus.publish({ kind: "phase", phase: "other", action: "start" });
  const { out, leave, code } = node.start("events --tail -1 --actor-id me");
  await out.until(/mount/);
  bus.publish({ kind: "machineStatus", stage: "running", ready: true, unmet: [] }, "me");
  await out.until(/running/);
  leave.abort();
  strictEqual(await code, 0);
  const [head = "", task = "", status = ""] = out.text.split("\n").map((line) => line.replaceAll(/ {2,}/g, "|"));
  strictEqual(head, "NODE|ID|EVENT|ACTOR|SOURCE|MESSAGE");
  strictEqual(task, `127.0.0.1|${first.id}|machine.TaskEvent|me|mount|START`);
  match(status, /\|machine\.MachineStatusEvent\|me\|running\|ready: true$/);
  strictEqual((await node.run("events --tail 1 --duration 1m")).code, 2);
});

Deno.test("apply-config: dry run with the diff, applied, refused with the whole reason", async () => {
  await using node = await Node.start();
  const file = `${node.folder}/config.yaml`;
  await Deno.writeTextFile(file, "machine:\n  type: worker\n");
  const dry = await node.run(`apply-config -f ${file} --dry-run`);
  deepStrictEqual(dry, {
    ...{ code: 0, out: "127.0.0.1:\nDry run\n-a\n+b\n" },
    errors: "127.0.0.1: warning: key x is not used\n",
  });
  strictEqual((await node.run(`apply-config -f ${file} -m try`)).out, "127.0.0.1: applied in mode no-reboot\n");
  deepStrictEqual(node.machine.applied.map(({ mode, dryRun, tryTimeoutMs }) => [mode, dryRun, tryTimeoutMs]), [
    ["auto", true, 60_000],
    ["try", false, 60_000],
  ]);
  await Deno.writeTextFile(file, "machine:\n  tpye: worker\n");
  const wrong = await node.run(`apply-config -f ${file}`);
  match(
    wrong.errors,
    /^error: Cannot apply the config to 127\.0\.0\.1: .*line 2, column 3: .*did you mean "type"\?\n$/,
  );
  strictEqual(wrong.code, 1);
  match((await node.run("apply-config -f /nowhere/c.yaml")).errors, /the file does not exist/);
  strictEqual((await node.run("apply-config")).code, 2);
});

Deno.test("reboot waits for another boot, shutdown tells why the machine stays up", async () => {
  await using node = await Node.start();
  const { machine, bed } = node;
  // a machine that stops telling events has gone down, or come up again
  const back = node.start("reboot");
  await back.errors.until(/sequence reboot STOP/);
  bed.server.setCertificates({ ...renewed(bed.authority), acceptedCaPems: [] }); // drops the connections
  bed.server.setCertificates(renewed(bed.authority));
  strictEqual(await back.code, 0, back.errors.text);
  match(back.out.text, /^127\.0\.0\.1: back after \d+s\n$/);
  match(back.errors.text, /^127\.0\.0\.1: sequence reboot START\n127\.0\.0\.1: sequence reboot STOP\n$/);
  const failed = await node.run("shutdown");
  match(failed.errors, /error: Cannot shut down 127\.0\.0\.1: the fuse is blown\n$/);
  strictEqual(failed.code, 1);
  const asked = await node.run("shutdown --force --wait=false");
  deepStrictEqual([asked.code, asked.errors], [0, ""]);
  match(asked.out, /actor actor-1\n$/);
  strictEqual(machine.bus.list({ tailEvents: -1 }).length, 6);
});

function renewed(authority: CertificateAndKey) {
  const identity = issueCertificate({ authority, subject: {}, ips: ["127.0.0.1"], usage: "server", validSeconds: 60 });
  return { ...identity, acceptedCaPems: [authority.crtPem] };
}

Deno.test("inspect dependencies: Graphviz and Mermaid", async () => {
  await using node = await Node.start();
  match((await node.run("inspect dependencies")).out, /"a\.Writer" -> "b\.Reader" \[label="Things\.test\.dev"\];/);
  const { out } = await node.run("inspect dependencies --with-resources -o mermaid");
  match(out, /n0 --> n2\n {2}n2 -->\|x\| n1\n$/);
});

Deno.test("what keeps a call from a node is told with what to check", async () => {
  await using node = await Node.start();
  const { authority } = node.bed;
  const admin = clientIdentity(authority, ["os:admin"]);
  const other = await testAuthority();
  const failure = async (line = "services") => {
    const { errors, code } = await node.run(line);
    strictEqual(code, 1);
    return errors;
  };
  const place = `context "demo" in ${node.path}`.replaceAll(/[./]/g, "\\$&");

  await node.write(admin, other.crtPem);
  match(await failure(), new RegExp(`^error: Cannot list the services of 127.*not signed by.*${place}.*\\n$`));
  await node.write(clientIdentity(other, ["os:admin"]));
  match(await failure(), new RegExp(`cannot admit the caller: .*not signed.*the certificate is that of ${place}`));
  await node.write(clientIdentity(authority, ["os:nobody"]));
  match(await failure(), new RegExp(`as os:nobody, by ${place}`));
  await node.write(issueCertificate({ authority, subject: {}, usage: "client", validSeconds: -60 }));
  match(await failure(), new RegExp(`the certificate of ${place} expired on 20`));
  await node.write(admin, authority.crtPem, 1);
  match(await failure(), /cannot connect to "127\.0\.0\.1:1": .*ECONNREFUSED.*nothing listens there/);
  await node.write(clientIdentity(authority, ["os:reader"]));
  match(await failure("get secrets"), /Cannot get secrets from 127.*as os:reader/);
});
