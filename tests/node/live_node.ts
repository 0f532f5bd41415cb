import { deepStrictEqual } from "node:assert/strict";
import { Reactor } from "../../kernel/reactor.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import { RTNL_GROUPS, type RtnlGroup, RtnlMonitor } from "../../kernel/rtnl_monitor.ts";
import { ChangeFeed } from "../../controllers/network/change_feed.ts";
import { endCluster } from "../../image/node_end.ts";
import { dist, removeIfThere } from "../../image/paths.ts";
import {
  ApiError,
  type ApplyMode,
  type ApplyResult,
  type EventView,
  MachineClient,
  ResourceClient,
  ResourceCodec,
} from "../../mod/api/mod.ts";
import { DefinitionRegistry, type ResourceDefinition } from "../../mod/cosi/mod.ts";
import type { EventQuery } from "../../mod/supervisor/mod.ts";
import { DEFINITIONS } from "../../resources/all.ts";
import { MACHINE_STATUS_ID, MachineStatuses } from "../../resources/runtime/machine_status.ts";
import { BenchNode } from "../bench/bench_node.ts";
import { eventually } from "../netns/eventually.ts";
import { inNetnsOf } from "./netns.ts";
import { Followed } from "./followed.ts";
import type { TaskResult } from "./task.ts";

/** The cluster of these tests; one at a time. */
export const NODE_NAME = "tnode";
/** Its network. */
export const NODE_CIDR = "10.98.2.0/24";
/** Where the node keeps its config, seen from this machine. */
export const CONFIG_PATH = dist("nodes", NODE_NAME, "var/lib/monos/state/config.yaml");
/** The client of the same build as the node, whatever is built meanwhile. */
const CLIENT = dist("nodes", NODE_NAME, "monosctl");
/** The machine may be busy with other things. */
export const PATIENCE_MS = 60_000;

const registry = new DefinitionRegistry(DEFINITIONS);

/** A node of its own in namespaces, its API, and its kernel as seen from outside; gone when disposed. */
export class LiveNode implements AsyncDisposable {
  readonly machine: MachineClient;
  readonly resources: ResourceClient;
  /** Wakes at each change there. */
  readonly kernelFeed = new ChangeFeed();
  readonly #node: BenchNode;
  readonly #undo = new AsyncDisposableStack();
  readonly #reactor: Reactor;
  #kernel: RtnlConn;
  #pid: number;

  private constructor(node: BenchNode) {
    this.#node = node;
    this.machine = new MachineClient(node.client);
    this.resources = new ResourceClient(node.client, new ResourceCodec((type) => registry.byType(type)));
    this.#undo.use(node);
    this.#reactor = this.#undo.use(new Reactor((error) => console.error(error)));
    this.#pid = node.started.initPid;
    this.#kernel = this.#look();
  }

  /** Sockets in the network namespace that the node has now. */
  #look(): RtnlConn {
    const onNews = () => {
      this.kernelFeed.addAll();
      this.kernelFeed.publish();
    };
    const groups = Object.keys(RTNL_GROUPS) as RtnlGroup[];
    const observer = { onChanges: onNews, onResync: onNews };
    this.#undo.use(inNetnsOf(this.#pid, () => new RtnlMonitor(this.#reactor, groups, observer)));
    return this.#undo.use(inNetnsOf(this.#pid, () => new RtnlConn()));
  }

  /** Starts one, without anything of an earlier one unless `keep` is given. */
  static async start(keep?: "keep"): Promise<LiveNode> {
    await endCluster(NODE_NAME);
    if (keep === undefined) await removeIfThere(dist("nodes", NODE_NAME));
    const node = await BenchNode.start(NODE_NAME, NODE_CIDR);
    await removeIfThere(CLIENT);
    await Deno.link(dist("monos"), CLIENT);
    return new LiveNode(node);
  }

  get address(): string {
    return this.#node.address;
  }

  /** PID 1 of the node, as this machine counts. */
  get pid(): number {
    return this.#pid;
  }

  /** Links, addresses and routes in the node's network namespace. */
  get kernel(): RtnlConn {
    return this.#kernel;
  }

  /** What the node's wrapper tells from here on. */
  get statuses(): BenchNode["started"]["statuses"] {
    return this.#node.started.statuses;
  }

  /** Waits until the wrapper has started the node again, and looks at that from now on; what it told until then. */
  async restarted(): Promise<string[]> {
    const stages: string[] = [];
    for await (const status of this.statuses) {
      stages.push(status.stage);
      if (status.stage !== "started") continue;
      this.#pid = status.pid;
      this.#kernel = this.#look();
      break;
    }
    return stages;
  }

  /** The config that it was started with. */
  get config(): string {
    return this.#node.config;
  }

  /** Runs the client as an administrator, for this node. */
  ctl(...args: string[]): Promise<TaskResult> {
    return this.ctlAs(dist("nodes", NODE_NAME, "talosconfig"), ...args);
  }

  /** Runs the client with another talosconfig; both streams as one text. */
  async ctlAs(talosconfig: string, ...args: string[]): Promise<TaskResult> {
    const options = { args: this.#clientArgs(talosconfig, args), stdin: "null" } as const;
    const { code, stdout, stderr } = await new Deno.Command(CLIENT, options).output();
    return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  }

  /** Starts a command of the client that goes on until Ctrl-C. */
  follow(...args: string[]): Followed {
    return new Followed(CLIENT, this.#clientArgs(dist("nodes", NODE_NAME, "talosconfig"), args));
  }

  #clientArgs(talosconfig: string, args: readonly string[]): string[] {
    return ["--talosconfig", talosconfig, "-n", this.address, ...args];
  }

  /** What is in a file of the node. */
  file(path: string): string {
    return Deno.readTextFileSync(`/proc/${this.#pid}/root${path}`);
  }

  async apply(text: string, mode: ApplyMode = "no-reboot", tryTimeoutMs = 0): Promise<ApplyResult> {
    const data = new TextEncoder().encode(text);
    const [answer] = await this.machine.applyConfiguration({ data, mode, dryRun: false, tryTimeoutMs });
    if (answer === undefined) throw new Error("Cannot apply the config: the node did not answer");
    return answer.value;
  }

  /** The node works by another config while `body` runs. */
  async during(text: string, body: () => Promise<void>): Promise<void> {
    await this.apply(text);
    try {
      await body();
    } finally {
      await this.apply(this.config);
    }
  }

  /** Undefined when it does not exist. */
  async spec<S>({ namespace, type }: ResourceDefinition<S>, id: string, other = namespace): Promise<S | undefined> {
    try {
      return (await this.resources.get({ namespace: other, type, id })).spec as S; // the codec has the definition
    } catch (error) {
      if (error instanceof ApiError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  /** Checks again at every event of a type until the check holds. @throws what the check threw last */
  async until<S>(definition: ResourceDefinition<S>, check: () => Promise<void> | void): Promise<void> {
    const { namespace, type } = definition;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let failure: unknown;
    try {
      const target = { namespace, type };
      for await (const _event of this.resources.watch(target, { bootstrapContents: true, signal })) {
        try {
          return await check();
        } catch (error) {
          failure = error;
        }
      }
    } catch (error) {
      throw failure ?? error;
    }
  }

  /** Checks again at every change of the node's links, addresses and routes until the check holds. */
  inKernel(check: () => void): Promise<number> {
    return eventually([this.kernelFeed], check, PATIENCE_MS);
  }

  /** Prefixes of the addresses in the node's kernel. */
  addresses(): string[] {
    return this.kernel.addresses().map(({ prefix }) => prefix);
  }

  /** Waits until all services run and are well. */
  async healthy(): Promise<void> {
    await this.until(MachineStatuses, async () => {
      const status = await this.spec(MachineStatuses, MACHINE_STATUS_ID);
      deepStrictEqual([status?.stage, status?.status.ready], ["running", true]);
    });
  }

  /** The first event that is the one. */
  async event(query: EventQuery, isIt: (event: EventView) => boolean): Promise<EventView> {
    for await (const { value } of this.machine.events(query, { signal: AbortSignal.timeout(PATIENCE_MS) })) {
      if (isIt(value)) return value;
    }
    throw new Error("Cannot find the event: the node ended the stream");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}
