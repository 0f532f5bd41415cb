import { NetlinkError } from "../kernel/netlink.ts";
import { RtnlConn } from "../kernel/rtnl.ts";
import { maskPrefix, parsePrefix, prefixesOverlap } from "../mod/netip/mod.ts";
import type { ClusterNode, ClusterPlan } from "./cluster.ts";
import { TaskError } from "./task.ts";

/**
 * Makes the cluster's bridge with this machine's address on it; one that is there already is used.
 * @throws {TaskError} when the addresses are in use elsewhere on this machine
 */
export function makeBridge({ name, bridge, gateway }: ClusterPlan): void {
  using rtnl = new RtnlConn();
  const network = maskPrefix(gateway);
  const own = rtnl.link(bridge)?.index;
  const links = new Map(rtnl.links().map(({ index, name }) => [index, name]));
  const taken = rtnl.addresses().find(({ prefix, linkIndex }) =>
    linkIndex !== own && prefixesOverlap(maskPrefix(prefix), network)
  );
  if (taken !== undefined) {
    throw new TaskError(
      `Cannot start cluster "${name}" in ${network}: this machine has ${taken.prefix} on ${links.get(taken.linkIndex)}`,
      'Take another network with --cidr, or end the cluster that has it with the task "down".',
    );
  }
  if (own === undefined) {
    rtnl.addLink({ name: bridge, kind: "bridge" });
    // Who calls a node that is not up yet is answered as soon as it is, not at the kernel's next try after a second.
    const neighbours = `/proc/sys/net/ipv4/neigh/${bridge}`;
    Deno.writeTextFileSync(`${neighbours}/retrans_time_ms`, "10", { create: false });
    Deno.writeTextFileSync(`${neighbours}/mcast_solicit`, "100", { create: false });
  }
  const { index = 0 } = rtnl.link(bridge) ?? {};
  rtnl.replaceAddress({ linkIndex: index, prefix: gateway });
  rtnl.setLink(index, { up: true });
}

/** Lays a cable from the bridge to the network namespace of `pid`, where its end is `eth0`. */
export function connectNode({ bridge }: ClusterPlan, { hostLink }: ClusterNode, pid: number): void {
  using rtnl = new RtnlConn();
  const master = rtnl.link(bridge)?.index;
  if (master === undefined) throw new TaskError(`Cannot connect the node: the bridge ${bridge} is gone`);
  rtnl.addLink({ name: hostLink, kind: "veth", peer: { name: "eth0", netnsPid: pid } });
  rtnl.setLink(hostLink, { masterIndex: master, up: true });
}

/** Removes a cluster's bridge and the cables that are left; false when there was none. */
export function removeNetwork(name: string): boolean {
  using rtnl = new RtnlConn();
  const ours = rtnl.links().filter(({ name: link }) => link === `mo-${name}` || link.startsWith(`mo-${name}.`));
  for (const { name: link } of ours) {
    try {
      rtnl.deleteLink(link);
    } catch (error) {
      if (!(error instanceof NetlinkError) || error.code !== "ENODEV") throw error; // it went with its namespace
    }
  }
  return ours.length > 0;
}

/** The netmask of a prefix, as the kernel argument `ip=` takes it. */
export function netmaskOf(prefix: string): string {
  const { bits } = parsePrefix(prefix);
  const mask = bits === 0 ? 0 : (2 ** 32 - 2 ** (32 - bits));
  return [24, 16, 8, 0].map((shift) => (mask / 2 ** shift) & 255).join(".");
}
