import type { Controller } from "../../mod/cosi/mod.ts";
import { canonicalAddress, isLoopback, isUnspecified, maskPrefix } from "../../mod/netip/mod.ts";
import { familyOf } from "../../resources/network/family.ts";
import { routeId, type RouteSpec, RouteSpecs } from "../../resources/network/route_spec.ts";
import { linkWishController, type SourcedSpec } from "./layered_wish.ts";
import type { LinkWish, RouteWish } from "./link_wish.ts";

/** @param cmdline the kernel's command line */
export function routeConfigController(cmdline: string): Controller {
  return linkWishController("network.RouteConfigController", RouteSpecs, cmdline, routeSpecs);
}

/** Pure: the routes that must be there. Without destination and gateway it is IPv4's default, straight out of the link. */
export function routeSpecs(wishes: readonly LinkWish[]): SourcedSpec<RouteSpec>[] {
  return wishes.flatMap((wish) =>
    wish.routes.map((route) => {
      const spec = routeSpec(wish, route);
      return { id: routeId(spec), source: wish.source, spec };
    })
  );
}

function routeSpec({ layer, name }: LinkWish, route: RouteWish): RouteSpec {
  const dst = route.destination === "" ? "" : maskPrefix(route.destination);
  const [address] = dst.split("/");
  const isDefault = dst === "" || dst === "0.0.0.0/0" || dst === "::/0";
  const gateway = presentAddress(route.gateway);
  return {
    family: familyOf(dst || route.gateway || route.source),
    dst: isDefault ? "" : dst,
    src: presentAddress(route.source),
    gateway,
    outLinkName: name,
    table: route.table,
    priority: route.metric,
    scope: gateway === "" ? "link" : !isDefault && isLoopback(address ?? "") ? "host" : "global",
    type: "unicast",
    flags: "",
    protocol: layer === "cmdline" ? "boot" : "static",
    layer,
    mtu: route.mtu,
    nextHops: [],
  };
}

/** `0.0.0.0` and `::` mean none. */
function presentAddress(text: string): string {
  return text === "" || isUnspecified(text) ? "" : canonicalAddress(text);
}
