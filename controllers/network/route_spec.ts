import type { RtnlConn } from "../../kernel/rtnl.ts";
import type { RtnlNextHop, RtnlRoute, RtnlRouteRequest } from "../../kernel/rtnetlink/route.ts";
import { appendRouteRequest, deleteRouteRequest } from "../../kernel/rtnetlink/request.ts";
import { type Controller, defineController, strong } from "../../mod/cosi/mod.ts";
import { flagBits } from "../../mod/schema/mod.ts";
import { routeId, type RouteSpec, RouteSpecs } from "../../resources/network/route_spec.ts";
import { DEFAULT_ROUTE_METRIC, ROUTE_FLAGS, ROUTE_PROTOCOLS, ROUTE_TYPES } from "../../resources/network/route_word.ts";
import { routingTableNumber } from "../../resources/network/routing_table.ts";
import { SCOPES } from "../../resources/network/scope.ts";
import { Applier, type ObjectPlan, type Planner } from "./apply.ts";
import type { NetworkView, RouteView } from "./network_view.ts";

const NAME = "network.RouteSpecController";

/** Puts routes into their tables and back when somebody else takes them away; routes of others stay. */
export function routeSpecController(conn: Pick<RtnlConn, "batch">, view: NetworkView): Controller {
  const applier = new Applier(NAME, RouteSpecs, conn);
  const made: MadeRoutes = new Map();
  return defineController({
    name: NAME,
    inputs: [strong(RouteSpecs)],
    outputs: [],
    // an address that comes makes gateways reachable
    wakeOn: [view.linkFeed, view.addressFeed, view.routeFeed],
    async reconcile(r) {
      view.refresh();
      await applier.apply(r, routePlanner(view, made));
      view.refresh();
    },
  });
}

/**
 * By the id of a wish, the protocol with which its route was made: of the command line's at first, another one once the
 * config wishes the same. The route is ours under both.
 */
export type MadeRoutes = Map<string, number>;

/** What each wished route needs, given what the kernel has; notes in `made` what it asks for. */
export function routePlanner(view: RouteView, made: MadeRoutes = new Map()): Planner<RouteSpec> {
  return {
    wanted: (spec) => planRoute(spec, view, made),
    unwanted: (spec) => planRouteEnd(spec, view, made),
    rank: ({ gateway, nextHops }) => gateway === "" && nextHops.length === 0 ? 0 : 1, // gateways lie behind link routes
  };
}

function planRoute(spec: RouteSpec, view: RouteView, made: MadeRoutes): ObjectPlan {
  const wished = kernelRoute(spec, view);
  if (wished === undefined) return { requests: [] };
  const current = findRoute(spec, wished, view, made);
  const requests = ownRoutes(spec, view, made).filter((route) => route !== current).map(deleteRouteRequest);
  if (current !== undefined) {
    // somebody else's route that goes the same way does what is wished, and is not ours to change
    const isFine = !isOurs(spec, current, made) || isJoined(wished, current) || isAsWished(spec, wished, current);
    if (isFine) return { requests };
    requests.push(deleteRouteRequest(current));
  }
  made.set(routeId(spec), ROUTE_PROTOCOLS[spec.protocol]);
  return { requests: [...requests, appendRouteRequest(wished)] }; // a metric is no claim: two gateways may have the same
}

function planRouteEnd(spec: RouteSpec, view: RouteView, made: MadeRoutes): ObjectPlan {
  const wished = kernelRoute(spec, view);
  const current = wished && findRoute(spec, wished, view, made);
  const ends = new Set(ownRoutes(spec, view, made));
  if (current !== undefined && isOurs(spec, current, made)) ends.add(current);
  made.delete(routeId(spec));
  // of joined ways only the first tells who made it: the kernel deletes this one if it is ours
  if (wished && current && isJoined(wished, current)) return { requests: [deleteRouteRequest(wished)] };
  return { requests: [...ends].map(deleteRouteRequest) };
}

function isOurs(spec: RouteSpec, { protocol }: RtnlRoute, made: MadeRoutes): boolean {
  return protocol === ROUTE_PROTOCOLS[spec.protocol] || protocol === made.get(routeId(spec));
}

/**
 * What a wish for an IPv4 route has made, by whatever link: its id does not name the link, so the route that went by
 * another one (of a config before this one, or by a link that is called otherwise now) is replaced and goes with it.
 */
function ownRoutes(spec: RouteSpec, view: RouteView, made: MadeRoutes): readonly RtnlRoute[] {
  if (spec.family !== "inet4" || spec.nextHops.length > 0) return [];
  return view.routesTo(spec.dst === "" ? anywhere(spec) : spec.dst).filter((route) =>
    route.table === routingTableNumber(spec.table) && route.priority === spec.priority && route.tos === 0 &&
    route.gateway === spec.gateway && route.nextHops.length === 0 && isOurs(spec, route, made)
  );
}

/** The wish in the kernel's terms; undefined while a link is missing. */
function kernelRoute(spec: RouteSpec, view: RouteView): RtnlRouteRequest | undefined {
  const outLinkIndex = spec.outLinkName === "" ? 0 : view.linkNamed(spec.outLinkName)?.index;
  const nextHops = kernelHops(spec, view);
  if (outLinkIndex === undefined || nextHops === undefined) return undefined;
  return {
    destination: spec.dst === "" ? anywhere(spec) : spec.dst,
    gateway: spec.gateway,
    preferredSource: spec.src,
    outLinkIndex,
    priority: spec.family === "inet6" && spec.priority === 0 ? DEFAULT_ROUTE_METRIC : spec.priority,
    table: routingTableNumber(spec.table),
    protocol: ROUTE_PROTOCOLS[spec.protocol],
    scope: SCOPES[spec.scope],
    type: ROUTE_TYPES[spec.type],
    flags: flagBits(ROUTE_FLAGS, spec.flags),
    mtu: spec.mtu,
    nextHops,
  };
}

function kernelHops(spec: RouteSpec, view: RouteView): RtnlNextHop[] | undefined {
  const hops: RtnlNextHop[] = [];
  for (const { gateway, outLinkName, weight } of spec.nextHops) {
    const linkIndex = outLinkName === "" ? 0 : view.linkNamed(outLinkName)?.index;
    if (linkIndex === undefined) return undefined;
    hops.push({ linkIndex, gateway, weight: Math.max(1, weight), flags: 0 });
  }
  return hops;
}

/** The default route's destination. */
export function anywhere({ family }: Pick<RouteSpec, "family">): string {
  return family === "inet4" ? "0.0.0.0/0" : "::/0";
}

/** The kernel's route to the same destination by the same way, ours before somebody else's. */
function findRoute(
  spec: RouteSpec,
  wished: RtnlRouteRequest,
  view: RouteView,
  made: MadeRoutes,
): RtnlRoute | undefined {
  const routes = view.routesTo(wished.destination).filter((route) =>
    route.table === wished.table && route.priority === wished.priority && route.tos === 0 &&
    (isJoined(wished, route) ||
      route.gateway === spec.gateway && hasSameHops(wished.nextHops ?? [], route.nextHops) &&
        (!wished.outLinkIndex || route.outLinkIndex === wished.outLinkIndex))
  );
  return routes.find((route) => isOurs(spec, route, made)) ?? routes[0];
}

/** Whether IPv6 has made the wished way one of several of a route, because their metrics are the same. */
function isJoined({ gateway, outLinkIndex, nextHops = [] }: RtnlRouteRequest, route: RtnlRoute): boolean {
  return route.family === 6 && nextHops.length === 0 &&
    route.nextHops.some((hop) => hop.gateway === gateway && (!outLinkIndex || hop.linkIndex === outLinkIndex));
}

function hasSameHops(wished: readonly RtnlNextHop[], current: readonly RtnlNextHop[]): boolean {
  return wished.length === current.length &&
    wished.every(({ linkIndex, gateway, weight }) =>
      current.some((hop) =>
        hop.gateway === gateway && hop.weight === weight && (linkIndex === 0 || hop.linkIndex === linkIndex)
      )
    );
}

function isAsWished(spec: RouteSpec, wished: RtnlRouteRequest, current: RtnlRoute): boolean {
  // IPv6 knows no scopes
  return (spec.family === "inet6" || current.scope === wished.scope) && current.type === wished.type &&
    current.preferredSource === spec.src && current.mtu === spec.mtu;
}
