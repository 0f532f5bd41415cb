import type { RtnlRoute } from "../../kernel/rtnetlink/route.ts";
import { isEqual } from "../../mod/schema/mod.ts";

/** A notification about a route. */
export interface RouteChange {
  readonly record: RtnlRoute;
  readonly deleted: boolean;
  /** It takes the place of the one with the same destination, table and metric, which is not told to go. */
  readonly replaces: boolean;
}

type Slot = RtnlRoute | readonly RtnlRoute[];
const NONE: readonly RtnlRoute[] = Object.freeze([]);

/**
 * The kernel's routes, found by destination: the texts of the destinations are there anyway, so an index of 100,000
 * routes costs little.
 */
export class RouteTable {
  #slots = new Map<string, Slot>();

  constructor(routes: Iterable<RtnlRoute> = NONE) {
    for (const route of routes) {
      const slot = this.#slots.get(route.destination);
      if (slot === undefined) this.#slots.set(route.destination, route);
      else if (Array.isArray(slot)) slot.push(route);
      else this.#slots.set(route.destination, [slot as RtnlRoute, route]);
    }
  }

  /** Routes to exactly this destination, in every table. */
  to(destination: string): readonly RtnlRoute[] {
    const slot = this.#slots.get(destination);
    return slot === undefined ? NONE : Array.isArray(slot) ? slot : [slot as RtnlRoute];
  }

  /** Every destination with its routes. */
  *entries(): Generator<[destination: string, routes: readonly RtnlRoute[]]> {
    for (const [destination, slot] of this.#slots) {
      yield [destination, Array.isArray(slot) ? slot : [slot as RtnlRoute]];
    }
  }

  /** Takes a notification in. False: it does not tell enough, only a new dump gives the truth. */
  apply({ record, deleted, replaces }: RouteChange): boolean {
    const routes = this.to(record.destination);
    const same = routes.findIndex((route) => isSameRoute(route, record));
    if (deleted) {
      if (same >= 0) this.#set(record.destination, routes.toSpliced(same, 1));
      // the rest of a multipath route that lost one way is not told
      return same >= 0 || !routes.some((route) => isRival(route, record) && route.nextHops.length > 0);
    }
    if (same >= 0) {
      this.#set(record.destination, routes.with(same, record));
      return true;
    }
    const rivals = routes.filter((route) => isRival(route, record));
    const isClear = !replaces || rivals.length <= 1;
    // joined to a route of IPv6, whose words stay
    const joined = record.family === 6 ? rivals.filter((route) => isPart(route, record.nextHops)) : NONE;
    const gone = replaces ? rivals : joined;
    const [host] = joined;
    const joint = host === undefined || replaces ? record : { ...host, ...WAYS_ONLY, nextHops: record.nextHops };
    this.#set(record.destination, [...routes.filter((route) => !gone.includes(route)), joint]);
    return isClear;
  }

  #set(destination: string, routes: readonly RtnlRoute[]): void {
    const [first] = routes;
    if (first === undefined) this.#slots.delete(destination);
    else this.#slots.set(destination, routes.length === 1 ? first : routes);
  }
}

/** What a route with several ways has instead of the one way of others. */
const WAYS_ONLY = { gateway: "", outLinkIndex: 0 };

/** Whether all ways of a route are among those of another. */
function isPart({ gateway, outLinkIndex, nextHops }: RtnlRoute, all: RtnlRoute["nextHops"]): boolean {
  const own = nextHops.length > 0 ? nextHops : [{ gateway, linkIndex: outLinkIndex }];
  return own.every((way) => all.some((hop) => hop.gateway === way.gateway && hop.linkIndex === way.linkIndex));
}

/** Routes that the kernel tells apart by their way alone. */
function isRival(a: RtnlRoute, b: RtnlRoute): boolean {
  return a.table === b.table && a.priority === b.priority && a.tos === b.tos && a.source === b.source;
}

function isSameRoute(a: RtnlRoute, b: RtnlRoute): boolean {
  // IPv4 has the same way twice for two sources, such as the route to an address while the one before it goes
  const isSameSource = a.family === 6 || a.preferredSource === b.preferredSource && a.protocol === b.protocol;
  return isSameSource && isRival(a, b) && a.type === b.type && a.gateway === b.gateway &&
    a.outLinkIndex === b.outLinkIndex &&
    a.nextHops.length === b.nextHops.length &&
    (a.nextHops.length === 0 || isEqual(a.nextHops.map(wayOf), b.nextHops.map(wayOf)));
}

/** A way without its flags, which change while the link loses and finds its carrier. */
function wayOf({ gateway, linkIndex, weight }: RtnlRoute["nextHops"][number]): unknown {
  return { gateway, linkIndex, weight };
}
