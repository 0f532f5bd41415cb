import type { RtnlRoute } from "../../kernel/rtnetlink/route.ts";
import { compareText, type Controller, type Wanted } from "../../mod/cosi/mod.ts";
import { routeId } from "../../resources/network/route_spec.ts";
import { type RouteStatus, RouteStatuses } from "../../resources/network/route_status.ts";
import { ROUTE_FLAGS, ROUTE_PROTOCOLS, ROUTE_TYPES } from "../../resources/network/route_word.ts";
import { routingTableName } from "../../resources/network/routing_table.ts";
import { SCOPES } from "../../resources/network/scope.ts";
import { kernelStatusController } from "./kernel_status.ts";
import type { NetworkView, RouteView } from "./network_view.ts";
import { FlagNames, Words } from "./words.ts";

/** Shows the routes that the kernel has. */
export function routeStatusController(view: NetworkView): Controller {
  return kernelStatusController("network.RouteStatusController", RouteStatuses, {
    feed: view.routeFeed,
    statuses: (key) => routeStatuses(view.routesTo(key), view),
    *all() {
      for (const [destination, routes] of view.routes()) yield [destination, routeStatuses(routes, view)];
    },
  });
}

const scopes = new Words(SCOPES, "nowhere");
const types = new Words(ROUTE_TYPES, "unspec");
const protocols = new Words(ROUTE_PROTOCOLS, "unspec");
const flagNames = new FlagNames(ROUTE_FLAGS);

/**
 * Pure: what is shown of the routes to one destination. The id does not tell all routes apart (two links in the same
 * network have the same IPv4 route); of those the one on the lowest link index is shown.
 */
export function routeStatuses(routes: readonly RtnlRoute[], view: Pick<RouteView, "link">): Wanted<RouteStatus>[] {
  if (routes.length === 1 && routes[0] !== undefined) return [wantedRoute(routes[0], view)];
  const byId = new Map<string, Wanted<RouteStatus>>();
  for (const route of routes) {
    const wanted = wantedRoute(route, view);
    const other = byId.get(wanted.id);
    if (other === undefined || wanted.spec.outLinkIndex < other.spec.outLinkIndex) byId.set(wanted.id, wanted);
  }
  return [...byId.values()];
}

function wantedRoute(route: RtnlRoute, view: Pick<RouteView, "link">): Wanted<RouteStatus> {
  const spec: RouteStatus = {
    family: route.family === 4 ? "inet4" : "inet6",
    dst: route.destination === "0.0.0.0/0" || route.destination === "::/0" ? "" : route.destination,
    src: route.preferredSource,
    gateway: route.gateway,
    outLinkIndex: route.outLinkIndex,
    outLinkName: route.outLinkIndex === 0 ? "" : view.link(route.outLinkIndex)?.name ?? "",
    table: routingTableName(route.table),
    priority: route.priority,
    scope: scopes.word(route.scope),
    type: types.word(route.type),
    flags: flagNames.text(route.flags),
    protocol: protocols.word(route.protocol),
    mtu: route.mtu,
    nextHops: route.nextHops.length === 0 ? NO_HOPS : hops(route.nextHops, view),
  };
  return { id: routeId(spec), spec };
}

/** In one order: the kernel tells the same ways now so and now so. */
function hops(nextHops: RtnlRoute["nextHops"], view: Pick<RouteView, "link">): RouteStatus["nextHops"] {
  return nextHops.map(({ gateway, linkIndex, weight }) => ({
    gateway,
    outLinkName: view.link(linkIndex)?.name ?? "",
    weight,
  })).sort((a, b) => compareText(a.gateway, b.gateway) || compareText(a.outLinkName, b.outLinkName));
}

const NO_HOPS: RouteStatus["nextHops"] = Object.freeze([]);
