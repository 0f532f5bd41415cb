import { deepStrictEqual } from "node:assert/strict";
import { NetlinkError } from "../../kernel/netlink.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import { RTPROT_BOOT, RTPROT_KERNEL, RTPROT_RA } from "../../kernel/rtnetlink/message.ts";
import { addressStatus } from "../../controllers/network/address_status.ts";
import { linkStatus } from "../../controllers/network/link_status.ts";
import type { LinkView } from "../../controllers/network/network_view.ts";
import { routeStatuses } from "../../controllers/network/route_status.ts";
import type { ResourceDefinition } from "../../mod/cosi/mod.ts";
import { addressId } from "../../resources/network/address_spec.ts";
import { AddressStatuses } from "../../resources/network/address_status.ts";
import { LinkStatuses } from "../../resources/network/link_status.ts";
import { RouteStatuses } from "../../resources/network/route_status.ts";
import { changesOf, eventually } from "./eventually.ts";
import { NetworkNode } from "./network_node.ts";

const PREFIXES = [
  "10.0.0.5/24",
  "10.0.0.6/24",
  "10.0.0.5/16",
  "10.1.0.5/32",
  "fd00::5/64",
  "fd00::5/128",
  "fd01::5/64",
];
const GATEWAYS = ["10.0.0.1", "10.0.0.2", "10.1.0.1", "fd00::1", "fd00::2", "fd01::1"];
const NETWORKS = ["0.0.0.0/0", "10.9.0.0/16", "::/0", "fd09::/64"];

/** Numbers from 0 up to `below`, the same in every run (mulberry32). */
function randomizer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Somebody else at work in the namespace. */
class Rival {
  readonly #conn: RtnlConn;
  readonly #random: (below: number) => number;
  constructor(conn: RtnlConn, random: (below: number) => number) {
    [this.#conn, this.#random] = [conn, random];
  }

  pick<T>(from: readonly T[]): T {
    return from[this.#random(from.length)] as T;
  }

  /** One change, which the kernel may refuse. */
  change(): void {
    const conn = this.#conn, link = this.pick(conn.links().filter(({ name }) => name !== "lo"));
    const linkIndex = link.index;
    switch (this.#random(9)) {
      case 0:
      case 1: {
        const lifetimes = this.#random(3) > 0 ? {} : { validSeconds: 500, preferredSeconds: 100 * this.#random(2) };
        return conn.addAddress({ linkIndex, prefix: this.pick(PREFIXES), ...lifetimes });
      }
      case 2: {
        const addresses = conn.addresses().filter((address) => address.linkIndex === linkIndex);
        return addresses.length > 0 ? conn.deleteAddress(this.pick(addresses)) : undefined;
      }
      case 3:
      case 4: {
        const common = { priority: this.pick([0, 7, 1024]), protocol: this.pick([RTPROT_BOOT, RTPROT_RA]) };
        return conn.addRoute({ ...common, destination: this.pick(NETWORKS), gateway: this.pick(GATEWAYS) });
      }
      case 5: {
        const routes = conn.routes().filter(({ protocol }) => protocol !== RTPROT_KERNEL);
        return routes.length > 0 ? conn.deleteRoute(this.pick(routes)) : undefined;
      }
      case 6:
        return conn.setLink(linkIndex, { up: this.#random(3) > 0 });
      case 7:
        return conn.setLink(linkIndex, { mtu: this.pick([1000, 1280, 1500]) });
      case 8:
        conn.setLink(linkIndex, { up: false });
        return conn.setLink(linkIndex, { name: this.pick(["v0", "v1", "v2"]) });
    }
  }

  config(): string {
    const addresses = [this.pick(PREFIXES.slice(0, 4)), this.pick(PREFIXES.slice(4))];
    return ["v0", "v1"].map((name) =>
      `apiVersion: v1alpha1\nkind: LinkConfig\nname: ${name}\nmtu: ${this.pick([1280, 1500])}\n` +
      `addresses: [${addresses.map((address) => `{address: '${address}'}`).join(", ")}]\n` +
      `routes: [{gateway: '${this.pick(GATEWAYS)}'}, {gateway: '${this.pick(GATEWAYS)}', metric: 7}]\n`
    ).join("---\n");
  }
}

/** What resources of a kind say, by id. */
function shown<S>(node: NetworkNode, definition: ResourceDefinition<S>): [id: string, spec: unknown][] {
  return node.all(definition).map(({ metadata, spec }): [string, unknown] => [metadata.id, spec]).sort(byId);
}

function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Resources and fresh dumps of the kernel say the same. */
function isLikeKernel(node: NetworkNode): void {
  const links = new Map(node.conn.links().map((link) => [link.index, link]));
  const view: LinkView = { link: (index) => links.get(index), linkNamed: () => undefined, links: () => links.values() };
  const name = (index: number) => links.get(index)?.name ?? "";
  deepStrictEqual(
    shown(node, LinkStatuses),
    [...links.values()].map((link): [string, unknown] => [link.name, linkStatus(link, view)]).sort(byId),
  );
  deepStrictEqual(
    shown(node, AddressStatuses),
    node.conn.addresses().map((address): [string, unknown] => {
      const linkName = name(address.linkIndex);
      return [addressId(linkName, address.prefix), addressStatus(address, linkName)];
    }).sort(byId),
  );
  const routes = Map.groupBy(node.conn.routes(), ({ destination }) => destination);
  deepStrictEqual(
    shown(node, RouteStatuses),
    [...routes.values()].flatMap((some) => routeStatuses(some, view)).map((
      { id, spec },
    ): [string, unknown] => [id, spec])
      .sort(byId),
  );
}

for (const seed of [1, 2, 3]) {
  Deno.test(`whatever happens to links, addresses and routes, resources end equal to the kernel (seed ${seed})`, async () => {
    await using node = new NetworkNode((conn) => {
      for (const end of ["0", "1"]) conn.addLink({ name: `v${end}`, kind: "veth", peer: { name: `p${end}` } });
      for (const link of ["p0", "v0", "p1", "v1"]) conn.setLink(link, { up: true });
    }).start();
    const random = randomizer(seed), rival = new Rival(node.conn, random);
    for (let round = 0; round < 300; round++) {
      if (round % 20 === 0) node.applyConfig(rival.config());
      try {
        rival.change();
      } catch (error) {
        if (!(error instanceof NetlinkError)) throw error; // refused: the next one
      }
      if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const source = changesOf(node.state, [LinkStatuses, AddressStatuses, RouteStatuses]);
    await eventually([source, node.view.linkFeed, node.view.routeFeed], () => isLikeKernel(node), 10_000);
  });
}
