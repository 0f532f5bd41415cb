import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { EventBus, type EventPayload, LogBuffer, type ServiceSnapshot } from "../supervisor/mod.ts";
import { ApiError } from "./errors.ts";
import { ApplyConfigurationRequestSchema } from "./gen/machine/configuration_pb.ts";
import { EventSchema, EventsRequestSchema } from "./gen/machine/event_pb.ts";
import { inspectHandlers } from "./inspect_service.ts";
import type { ApplyRequest, LogOptions, MachineBackend, RebootMode } from "./machine_backend.ts";
import { MachineClient } from "./machine_client.ts";
import { CONTROLLER_DEPENDENCIES, MACHINE_METHODS } from "./machine_methods.ts";
import { machineHandlers } from "./machine_service.ts";
import { Testbed } from "./testbed.ts";

const VERSION = {
  tag: "v1.0.0",
  sha: "abc",
  built: "",
  runtime: "deno 2.9.4",
  os: "linux",
  arch: "amd64",
  platform: "container",
  mode: "container",
};
const HEALTH = { unknown: false, healthy: true, lastMessage: "", lastChangeMs: 1_700_000_000_123 };
const ETCD: ServiceSnapshot = {
  id: "etcd",
  state: "Running",
  health: HEALTH,
  history: [{ state: "Running", message: "started", timeMs: 1_700_000_000_000 }],
  restarts: 0,
  pid: 7,
};

/** A machine with one service and a bus, which remembers what it was asked to do. */
class Machine implements MachineBackend {
  readonly bus = new EventBus();
  readonly log = new LogBuffer();
  readonly done: unknown[] = [];
  /** Holds back the answer to `applyConfiguration`. */
  gate: Promise<void> = Promise.resolve();

  version = () => VERSION;
  hostname = () => "node-1";
  services = () => [ETCD];
  async *logs(id: string, { follow, tailLines, signal }: LogOptions): AsyncIterable<Uint8Array> {
    if (id !== "etcd") throw new ApiError("NOT_FOUND", `Cannot show the log of "${id}": there is no such service`);
    if (follow) yield* this.log.follow(signal, tailLines);
    else yield this.log.read(tailLines);
  }
  events = (query: Parameters<EventBus["follow"]>[0], signal: AbortSignal) => this.bus.follow(query, signal);
  async applyConfiguration(request: ApplyRequest) {
    this.done.push(request);
    await this.gate;
    return { mode: "no-reboot", modeDetails: "applied", warnings: ["w"] } as const;
  }
  reboot(mode: RebootMode): string {
    this.done.push(mode);
    return "actor-1";
  }
  shutdown({ force }: { force: boolean }): string {
    this.done.push(force);
    return "actor-2";
  }
}

async function openBed() {
  const machine = new Machine();
  const bed = await Testbed.start(machineHandlers(machine));
  const api = bed.client(["os:admin"]);
  return { machine, api, client: new MachineClient(api), [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose]() };
}

Deno.test("Version, Hostname and ServiceList tell what the machine tells", async () => {
  await using bed = await openBed();
  deepStrictEqual(await bed.client.version(), [{ node: "", value: VERSION }]);
  deepStrictEqual(await bed.client.hostname({ nodes: ["127.0.0.1"] }), [{ node: "127.0.0.1", value: "node-1" }]);
  const { id, state, health, history } = ETCD;
  deepStrictEqual(await bed.client.services(), [{ node: "", value: [{ id, state, health, history }] }]);
});

Deno.test("Logs gives the last lines, follows, and refuses an unknown service", async () => {
  await using bed = await openBed();
  const { machine: { log }, client } = bed;
  for (const line of ["one", "two", "three"]) log.writeLine(line);
  const read = async (id: string, tailLines?: number) => {
    const chunks = await Array.fromAsync(client.logs(id, { follow: false, tailLines }));
    return chunks.map(({ value }) => new TextDecoder().decode(value)).join("");
  };
  strictEqual(await read("etcd"), "one\ntwo\nthree\n");
  strictEqual(await read("etcd", 1), "three\n");
  await rejects(read("nothing"), { code: "NOT_FOUND" });
  const seen: string[] = [];
  for await (const { value } of client.logs("etcd", { follow: true, tailLines: 1 })) {
    seen.push(new TextDecoder().decode(value));
    if (seen.length === 2) break;
    log.writeLine("four");
  }
  deepStrictEqual(seen, ["three\n", "four\n"]);
});

const PAYLOADS: readonly EventPayload[] = [
  { kind: "sequence", sequence: "boot", action: "stop", error: { code: "locked", message: "busy" } },
  { kind: "sequence", sequence: "boot", action: "noop" },
  { kind: "phase", phase: "env", action: "start" },
  { kind: "task", task: "mount", action: "stop" },
  { kind: "serviceState", service: "etcd", action: "Stopping", message: "m", health: HEALTH },
  { kind: "restart", command: 0x1234567 },
  { kind: "configLoadError", error: "bad" },
  { kind: "configValidationError", error: "worse" },
  { kind: "address", hostname: "node-1", addresses: ["10.5.0.2"] },
  { kind: "machineStatus", stage: "shutting down", ready: false, unmet: [{ name: "time", reason: "not in sync" }] },
];

Deno.test("Events replays and follows; every kind survives the journey", async () => {
  await using bed = await openBed();
  const { machine: { bus }, client } = bed;
  const [first, ...rest] = PAYLOADS;
  const published = first === undefined ? [] : [bus.publish(first, "actor")];
  const seen: { id: string; payload: EventPayload | undefined }[] = [];
  for await (const { value: { id, actorId, payload } } of client.events({ tailEvents: -1 })) {
    if (seen.length === 0) strictEqual(actorId, "actor");
    seen.push({ id, payload });
    const next = rest.shift();
    if (next === undefined) break;
    published.push(bus.publish(next));
  }
  deepStrictEqual(seen, published.map(({ id, payload }) => ({ id, payload })));
});

Deno.test("Events starts with an empty message, names its types as clients expect, and takes one way to look back", async () => {
  await using bed = await openBed();
  bed.machine.bus.publish({ kind: "phase", phase: "env", action: "start" }, "a");
  const request = create(EventsRequestSchema, { tailEvents: 1, withActorId: "a" });
  const [empty, event] = await firstTwo(bed.api.stream(MACHINE_METHODS.events, request));
  deepStrictEqual(empty, create(EventSchema));
  strictEqual(event?.data?.typeUrl, "talos/runtime/machine.PhaseEvent");
  for (const query of [{ tailEvents: 1, tailSeconds: 5 }, { tailId: "yesterday" }]) {
    await rejects(Array.fromAsync(bed.client.events(query)), { code: "INVALID_ARGUMENT" });
  }
});

async function firstTwo<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const message of messages) if (taken.push(message) === 2) break;
  return taken;
}

Deno.test("ApplyConfiguration passes on what was asked, one at a time, and refuses a mode that is gone", async () => {
  await using bed = await openBed();
  const { machine, client, api } = bed;
  const request = { data: new TextEncoder().encode("a: 1"), mode: "try", dryRun: true, tryTimeoutMs: 5000 } as const;
  const open = Promise.withResolvers<void>();
  machine.gate = open.promise;
  const answers = [1, 2].map(() => client.applyConfiguration(request));
  await Promise.race(answers.map((answer) => rejects(answer, { code: "FAILED_PRECONDITION" })));
  open.resolve();
  const results = await Promise.allSettled(answers);
  deepStrictEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const value = { mode: "no-reboot", modeDetails: "applied", warnings: ["w"] };
  deepStrictEqual(results.find(({ status }) => status === "fulfilled"), {
    status: "fulfilled",
    value: [{ node: "", value }],
  });
  const [asked] = machine.done as ApplyRequest[];
  deepStrictEqual({ ...asked, data: new TextDecoder().decode(asked?.data) }, { ...request, data: "a: 1" });
  const old = create(ApplyConfigurationRequestSchema, { data: request.data });
  await rejects(api.call(MACHINE_METHODS.applyConfiguration, old), { code: "INVALID_ARGUMENT" });
});

Deno.test("Reboot and Shutdown answer with the actor id of their sequence", async () => {
  await using bed = await openBed();
  deepStrictEqual(await bed.client.reboot("powercycle"), [{ node: "", value: "actor-1" }]);
  deepStrictEqual(await bed.client.shutdown({ force: true }), [{ node: "", value: "actor-2" }]);
  deepStrictEqual(bed.machine.done, ["powercycle", true]);
});

Deno.test("ControllerRuntimeDependencies gives the edges", async () => {
  const edge = { controller: "c", edge: "inputDestroyReady", namespace: "n", type: "T", id: "i" } as const;
  await using bed = await Testbed.start(inspectHandlers(() => [edge]));
  const { messages } = await bed.client(["os:reader"]).call(CONTROLLER_DEPENDENCIES, create(EmptySchema));
  const [wire] = messages[0]?.edges ?? [];
  deepStrictEqual([wire?.controllerName, wire?.edgeType, wire?.resourceId], ["c", 4, "i"]);
});
