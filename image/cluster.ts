import { countedNetwork } from "./cluster_address.ts";
import { dist } from "./paths.ts";
import { TaskError } from "./task.ts";

/** One node of a cluster in namespaces of this machine. */
export interface ClusterNode {
  /** Names its folder `dist/nodes/NAME/`; the first node bears the cluster's name. */
  readonly name: string;
  readonly folder: string;
  /** Without prefix length. */
  readonly address: string;
  /** The end of its cable on this machine; the node's end is `eth0`. */
  readonly hostLink: string;
  /** In every cgroup hierarchy of this machine. */
  readonly cgroup: string;
}

/** A cluster as it shall be. */
export interface ClusterPlan {
  readonly name: string;
  readonly bridge: string;
  /** This machine's own address on the bridge, with prefix length. */
  readonly gateway: string;
  readonly nodes: readonly ClusterNode[];
}

/** Interface names have 15 characters at most, and `mo-` and `.99` are around this one. */
const NAME = /^[a-z][a-z0-9]{0,8}$/;

/**
 * What a cluster consists of. Pure.
 * @param cidr network of the nodes, e.g. `10.5.0.0/24`: the machine has .1, the nodes .2 and on
 * @throws {TaskError} for a name or a network that cannot be used
 */
export function planCluster(name: string, count: number, cidr: string): ClusterPlan {
  if (!NAME.test(name)) {
    throw new TaskError(
      `Cannot name a cluster "${name}": a name has 1 to 9 lower-case letters and digits and starts with a letter`,
    );
  }
  if (!Number.isInteger(count) || count < 1 || count > 99) {
    throw new TaskError(`Cannot start ${count} nodes: a cluster has 1 to 99`);
  }
  const network = countedNetwork(cidr);
  if (network.bits > 30 || network.bits < 8 || count + 2 > 2 ** (32 - network.bits) - 1) {
    throw new TaskError(`Cannot start ${count} nodes in ${cidr}: it has no room for them`);
  }
  const nodes = Array.from({ length: count }, (_, index): ClusterNode => {
    const nodeName = index === 0 ? name : `${name}-${index + 1}`;
    return {
      name: nodeName,
      folder: dist("nodes", nodeName),
      address: network.at(index + 2),
      hostLink: `mo-${name}.${index + 1}`,
      cgroup: `monos-${name}/${index + 1}`,
    };
  });
  return { name, bridge: `mo-${name}`, gateway: `${network.at(1)}/${network.bits}`, nodes };
}
