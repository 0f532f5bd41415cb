import { Netns } from "../../kernel/netns.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import {
  type Controller,
  MemoryState,
  newResource,
  type Resource,
  type ResourceDefinition,
  Runtime,
} from "../../mod/cosi/mod.ts";
import { addressSpecController } from "../../controllers/network/address_spec.ts";
import { addressStatusController } from "../../controllers/network/address_status.ts";
import { addressMergeController } from "../../controllers/network/address_merge.ts";
import { addressConfigController } from "../../controllers/network/address_config.ts";
import { ChangeFeed } from "../../controllers/network/change_feed.ts";
import { linkConfigController } from "../../controllers/network/link_config.ts";
import { linkMergeController } from "../../controllers/network/link_merge.ts";
import { linkSpecController } from "../../controllers/network/link_spec.ts";
import { linkStatusController } from "../../controllers/network/link_status.ts";
import { NetworkView } from "../../controllers/network/network_view.ts";
import { routeConfigController } from "../../controllers/network/route_config.ts";
import { routeMergeController } from "../../controllers/network/route_merge.ts";
import { routeSpecController } from "../../controllers/network/route_spec.ts";
import { routeStatusController } from "../../controllers/network/route_status.ts";
import { MachineConfigs } from "../../resources/config/machine_config.ts";

/** The network controllers on the real kernel, in a network namespace of their own. */
export class NetworkNode implements AsyncDisposable {
  readonly state = new MemoryState();
  readonly log: string[] = [];
  /** Wakes at each line of the log. */
  readonly logFeed = new ChangeFeed();
  readonly conn: RtnlConn;
  readonly view: NetworkView;
  #reactor: Reactor;
  #undo = new DisposableStack();
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** @param prepare sets the namespace up before anything watches it */
  constructor(prepare: (conn: RtnlConn) => void = () => {}, receiveBytes?: number) {
    this.#undo.use(new Netns());
    this.conn = this.#undo.use(new RtnlConn());
    prepare(this.conn);
    this.#reactor = new Reactor((error) => this.#note(String(error)));
    this.view = this.#undo.use(new NetworkView(this.#reactor, this.conn, receiveBytes));
  }

  /** Starts controllers; all of links, addresses and routes unless said. */
  start(controllers: readonly Controller[] = networkControllers(this)): this {
    const runtime = new Runtime(this.state, { log: (name, level, text) => this.#note(`${name} ${level} ${text}`) });
    for (const controller of controllers) runtime.register(controller);
    this.#running = runtime.run(this.#stop.signal);
    return this;
  }

  #note(line: string): void {
    this.log.push(line);
    this.logFeed.add(line);
    this.logFeed.publish();
  }

  /** Puts a machine config in the place of the one there is. */
  applyConfig(yaml: string): void {
    const pointer = { namespace: MachineConfigs.namespace, type: MachineConfigs.type, id: "v1alpha1" };
    this.state.modifyNow(
      pointer,
      (current) =>
        current === undefined
          ? newResource(MachineConfigs, "v1alpha1", { yaml })
          : { metadata: current.metadata, spec: { yaml } },
    );
  }

  /** All objects of a type in its namespace. */
  all<S>({ namespace, type }: ResourceDefinition<S>): readonly Resource<S>[] {
    return this.state.listNow({ namespace, type }) as readonly Resource<S>[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#undo.dispose();
    await this.#reactor[Symbol.asyncDispose]();
  }
}

/** The controllers of links, addresses and routes. */
export function networkControllers({ conn, view }: NetworkNode, cmdline = ""): Controller[] {
  return [
    ...[linkConfigController(cmdline), addressConfigController(cmdline), routeConfigController(cmdline)],
    ...[linkMergeController(), addressMergeController(), routeMergeController()],
    ...[linkSpecController(conn, view), addressSpecController(conn, view), routeSpecController(conn, view)],
    ...[linkStatusController(view), addressStatusController(view), routeStatusController(view)],
  ];
}
