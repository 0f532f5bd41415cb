import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { FAMILIES, type Family } from "./family.ts";
import { NETWORK } from "./layer.ts";
import { ROUTE_NEXT_HOP, type RouteNextHop } from "./route_next_hop.ts";
import { ROUTE_FLAGS, ROUTE_PROTOCOLS, ROUTE_TYPES, type RouteProtocol, type RouteType } from "./route_word.ts";
import { routingTable } from "./routing_table.ts";
import { type Scope, SCOPES } from "./scope.ts";

/** A route that the kernel has; its id is that of `routeId()`. Absent addresses are empty text. */
export interface RouteStatus {
  family: Family;
  dst: string;
  src: string;
  gateway: string;
  /** 0 when the route leaves by no link (blackhole) or by several. */
  outLinkIndex: number;
  outLinkName: string;
  table: string;
  priority: number;
  scope: Scope;
  type: RouteType;
  /** Names of `ROUTE_FLAGS`, joined with `,`. */
  flags: string;
  protocol: RouteProtocol;
  mtu: number;
  nextHops: readonly RouteNextHop[];
}

export const RouteStatuses = defineResource<RouteStatus>()({
  type: "RouteStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["route", "routes"],
  columns: [
    { name: "Destination", path: "{.dst}" },
    { name: "Gateway", path: "{.gateway}" },
    { name: "Link", path: "{.outLinkName}" },
    { name: "Metric", path: "{.priority}" },
  ],
  fields: {
    family: field.oneOf(1, FAMILIES),
    dst: field.prefix(2),
    src: field.ip(3),
    gateway: field.ip(4),
    outLinkIndex: field.uint32(5, { omitEmpty: true }),
    outLinkName: field.string(6, { omitEmpty: true }),
    table: routingTable(7),
    priority: field.uint32(8),
    scope: field.oneOf(9, SCOPES),
    type: field.oneOf(10, ROUTE_TYPES),
    flags: field.flags(11, ROUTE_FLAGS),
    protocol: field.oneOf(12, ROUTE_PROTOCOLS),
    mtu: field.uint32(13, { omitEmpty: true }),
    nextHops: field.list(14, field.record(0, ROUTE_NEXT_HOP), { omitEmpty: true }),
  },
});
