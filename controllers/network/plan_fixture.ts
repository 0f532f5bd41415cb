import { IFF_LOOPBACK, IFF_MULTICAST, IFF_UP, type RtnlLink } from "../../kernel/rtnetlink/link.ts";
import type { RtnlAddress } from "../../kernel/rtnetlink/address.ts";
import type { RtnlRoute } from "../../kernel/rtnetlink/route.ts";
import type { NetlinkRequest } from "../../kernel/netlink.ts";
import type { AddressView, RouteView } from "./network_view.ts";

/** A network card that is down. */
export function cardRecord(index: number, name: string, fields: Partial<RtnlLink> = {}): RtnlLink {
  return {
    index,
    name,
    altNames: [],
    alias: "",
    type: 1,
    flags: IFF_MULTICAST,
    mtu: 1500,
    hardwareAddr: "02:00:00:00:00:01",
    broadcastAddr: "ff:ff:ff:ff:ff:ff",
    permanentAddr: "",
    operState: 2,
    hasCarrier: false,
    queueDisc: "noop",
    txQueueLength: 1000,
    masterIndex: 0,
    linkIndex: 0,
    linkNetnsId: -1,
    kind: "",
    slaveKind: "",
    unknown: [],
    ...fields,
  };
}

/** The loopback link. */
export const LOOPBACK = cardRecord(1, "lo", { type: 772, flags: IFF_UP | IFF_LOOPBACK });

/** A global address that stays. */
export function addressRecord(linkIndex: number, prefix: string, fields: Partial<RtnlAddress> = {}): RtnlAddress {
  return {
    family: prefix.includes(":") ? 6 : 4,
    linkIndex,
    prefix,
    peer: "",
    broadcast: "",
    anycast: "",
    multicast: "",
    label: "",
    flags: 0x80,
    scope: 0,
    priority: 0,
    protocol: 0,
    preferredSeconds: 0xffffffff,
    validSeconds: 0xffffffff,
    unknown: [],
    ...fields,
  };
}

/** A static route of the main table with metric 1024. */
export function routeRecord(destination: string, gateway: string, fields: Partial<RtnlRoute> = {}): RtnlRoute {
  return {
    family: destination.includes(":") ? 6 : 4,
    destination,
    source: "",
    gateway,
    preferredSource: "",
    outLinkIndex: 2,
    priority: 1024,
    table: 254,
    protocol: 4,
    scope: 0,
    type: 1,
    tos: 0,
    flags: 0,
    mtu: 0,
    preference: 0,
    expiresSeconds: 0,
    nextHops: [],
    unknown: [],
    ...fields,
  };
}

/** A kernel made of records. */
export function viewOf(
  links: readonly RtnlLink[],
  addresses: readonly RtnlAddress[] = [],
  routes: readonly RtnlRoute[] = [],
): AddressView & RouteView {
  return {
    link: (index) => links.find((link) => link.index === index),
    linkNamed: (name) => links.find((link) => link.name === name || link.altNames.includes(name)),
    links: () => links,
    address: (linkIndex, prefix) => addresses.find((one) => one.linkIndex === linkIndex && one.prefix === prefix),
    sameAddress: (linkIndex, prefix) =>
      addresses.find((one) => one.linkIndex === linkIndex && one.prefix.split("/")[0] === prefix.split("/")[0]),
    routesTo: (destination) => routes.filter((route) => route.destination === destination),
  };
}

/** What requests do, in words; what they carry is compared where it matters. */
export function wordsOf(requests: readonly NetlinkRequest[]): string[] {
  return requests.map(({ verb, thing }) => `${verb} ${thing}`);
}
