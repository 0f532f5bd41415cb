import type { ConfigDocument, MachineConfigDocuments } from "../../mod/config/mod.ts";
import { documentLabel, documentsOf } from "../../mod/config/mod.ts";
import { addressFamily, hostPrefix, isPrefix, prefixContains } from "../../mod/netip/mod.ts";
import type { ConfigLayer } from "../../resources/network/layer.ts";
import { DEFAULT_ROUTE_METRIC } from "../../resources/network/route_word.ts";
import { ROUTING_TABLES, routingTableName, routingTableNumber } from "../../resources/network/routing_table.ts";
import type { IpArgument } from "./kernel_arguments.ts";

/** A route as a source words it; empty text is absent. */
export interface RouteWish {
  readonly destination: string;
  readonly gateway: string;
  readonly source: string;
  readonly metric: number;
  readonly mtu: number;
  readonly table: string;
}

/** What one source says about one link: the common form of documents, the v1alpha1 config and kernel arguments. */
export interface LinkWish {
  readonly layer: ConfigLayer;
  /** For people: `LinkConfig/eth0`. */
  readonly source: string;
  readonly name: string;
  /** The kind of a link to be made; empty for one that exists. */
  readonly kind: "" | "dummy";
  readonly up: boolean;
  readonly mtu?: number;
  readonly multicast?: boolean;
  readonly hardwareAddr?: string;
  readonly addresses: readonly { readonly address: string; readonly priority: number }[];
  readonly routes: readonly RouteWish[];
}

/** The loopback link, without which nothing works. Its IPv6 address is the kernel's own doing. */
export const DEFAULT_LINK_WISHES: readonly LinkWish[] = [{
  layer: "default",
  source: "built in",
  name: "lo",
  kind: "",
  up: true,
  addresses: [{ address: "127.0.0.1/8", priority: 0 }],
  routes: [],
}];

/** Pure: what the config says about links, but for those that are to be left alone. */
export function configLinkWishes(config: MachineConfigDocuments, ignored: ReadonlySet<string>): LinkWish[] {
  const interfaces = config.v1alpha1?.machine?.network?.interfaces ?? [];
  const left = new Set([...ignored, ...interfaces.flatMap((entry) => entry.ignore ? [entry.interface ?? ""] : [])]);
  const wishes = [
    ...interfaces.flatMap((entry, index) => interfaceWish(entry, `machine.network.interfaces[${index}]`)),
    ...documentsOf(config, "LinkConfig").map((document) => documentWish(document, "")),
    ...documentsOf(config, "DummyLinkConfig").map((document) => documentWish(document, "dummy")),
  ];
  return wishes.filter((wish) => !left.has(wish.name));
}

type V1Alpha1 = NonNullable<MachineConfigDocuments["v1alpha1"]>;
type Interface = NonNullable<NonNullable<NonNullable<V1Alpha1["machine"]>["network"]>["interfaces"]>[number];

function interfaceWish(entry: Interface, source: string): LinkWish[] {
  const { interface: name = "", addresses = [], routes = [], mtu = 0, dummy = false } = entry;
  if (name === "") return [];
  return [{
    layer: "configuration",
    source,
    name,
    kind: dummy ? "dummy" : "",
    up: true,
    ...(mtu === 0 ? {} : { mtu }),
    addresses: addresses.map((text) => ({ address: isPrefix(text) ? text : hostPrefix(text), priority: 0 })),
    routes: routes.map((route) => routeWish({ ...route, destination: route.network ?? "" })),
  }];
}

function documentWish(document: ConfigDocument<"LinkConfig" | "DummyLinkConfig">, kind: LinkWish["kind"]): LinkWish {
  const { up = true, mtu, multicast, addresses = [], routes = [] } = document.value;
  const hardwareAddr = "hardwareAddr" in document.value ? document.value.hardwareAddr : undefined;
  return {
    layer: "configuration",
    source: documentLabel(document),
    name: document.name,
    kind,
    up,
    ...(mtu === undefined ? {} : { mtu }),
    ...(multicast === undefined ? {} : { multicast }),
    ...(hardwareAddr === undefined ? {} : { hardwareAddr }),
    addresses: addresses.map(({ address, routePriority = 0 }) => ({ address, priority: routePriority })),
    routes: routes.map((route) => routeWish(route)),
  };
}

function routeWish(route: Partial<RouteWish>): RouteWish {
  const { destination = "", gateway = "", source = "", metric = 0, mtu = 0 } = route;
  const table = routingTableName(routingTableNumber(route.table ?? "") || ROUTING_TABLES.main);
  return { destination, gateway, source, metric: metric === 0 ? DEFAULT_ROUTE_METRIC : metric, mtu, table };
}

/** Pure: what kernel arguments say about links. Later gateways get a worse metric. */
export function argumentLinkWishes(links: readonly IpArgument[]): LinkWish[] {
  return links.map(({ index, linkName, address, gateway }) => ({
    layer: "cmdline",
    source: "kernel argument ip=",
    name: linkName,
    kind: "",
    up: true,
    addresses: address === undefined ? [] : [{ address, priority: 0 }],
    routes: address === undefined || gateway === ""
      ? []
      : gatewayRoutes(address, gateway, DEFAULT_ROUTE_METRIC + index),
  }));
}

/** An IPv4 gateway that is not in the link's network needs a route of its own first. */
function gatewayRoutes(address: string, gateway: string, metric: number): RouteWish[] {
  const route = routeWish({ gateway, metric });
  if (addressFamily(gateway) === 6 || prefixContains(address, gateway)) return [route];
  return [routeWish({ destination: hostPrefix(gateway), metric }), route];
}
