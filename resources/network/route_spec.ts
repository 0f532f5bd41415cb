import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { FAMILIES, type Family } from "./family.ts";
import { CONFIG_LAYERS, type ConfigLayer, NETWORK } from "./layer.ts";
import { ROUTE_NEXT_HOP, type RouteNextHop } from "./route_next_hop.ts";
import { ROUTE_FLAGS, ROUTE_PROTOCOLS, ROUTE_TYPES, type RouteProtocol, type RouteType } from "./route_word.ts";
import { routingTable } from "./routing_table.ts";
import { type Scope, SCOPES } from "./scope.ts";

/** A route that must be in a table. Absent addresses are empty text; a default route has no `dst`. */
export interface RouteSpec {
  family: Family;
  /** Network, host bits clear. */
  dst: string;
  /** Preferred source address. */
  src: string;
  gateway: string;
  /** Kernel name, alias or altname; empty lets the kernel find the link by the gateway. */
  outLinkName: string;
  /** Name or number of the table. */
  table: string;
  /** Metric; the lower one wins. */
  priority: number;
  scope: Scope;
  type: RouteType;
  /** Names of `ROUTE_FLAGS`, joined with `,`. */
  flags: string;
  protocol: RouteProtocol;
  layer: ConfigLayer;
  /** 0 takes the link's. */
  mtu: number;
  /** Several ways at once; then `gateway` and `outLinkName` are empty. */
  nextHops: readonly RouteNextHop[];
}

export const RouteSpecs = defineResource<RouteSpec>()({
  type: "RouteSpecs.net.talos.dev",
  namespace: NETWORK,
  fields: {
    family: field.oneOf(1, FAMILIES),
    dst: field.prefix(2),
    src: field.ip(3),
    gateway: field.ip(4),
    outLinkName: field.string(5, { omitEmpty: true }),
    table: routingTable(6),
    priority: field.uint32(7, { omitEmpty: true }),
    scope: field.oneOf(8, SCOPES),
    type: field.oneOf(9, ROUTE_TYPES),
    flags: field.flags(10, ROUTE_FLAGS),
    protocol: field.oneOf(11, ROUTE_PROTOCOLS),
    layer: field.oneOf(12, CONFIG_LAYERS),
    mtu: field.uint32(13, { omitEmpty: true }),
    nextHops: field.list(14, field.record(0, ROUTE_NEXT_HOP), { omitEmpty: true }),
  },
});

/** What identifies a route. */
export type RouteKey = Pick<RouteSpec, "table" | "family" | "dst" | "gateway" | "priority" | "outLinkName">;

/** `[table/][link/]<family>/<gateway>/<dst>/<metric>`: the table unless `main`, the link for IPv6 only. */
export function routeId(route: RouteKey): string {
  const { table, family, dst, gateway, priority, outLinkName } = route;
  const rest = `${family}/${gateway}/${dst}/${priority}`;
  const scoped = family === "inet6" ? `${outLinkName}/${rest}` : rest;
  return table === "main" ? scoped : `${table}/${scoped}`;
}
