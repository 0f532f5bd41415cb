import { field, record } from "../../mod/schema/mod.ts";

/** One way of a route that has several. */
export interface RouteNextHop {
  /** Address, or empty. */
  gateway: string;
  outLinkName: string;
  /** Share of the traffic relative to the other ways; 0 counts as 1. */
  weight: number;
}

/** The fields of {@link RouteNextHop}. */
export const ROUTE_NEXT_HOP = record<RouteNextHop>()({
  gateway: field.ip(1, { omitEmpty: true }),
  outLinkName: field.string(2, { omitEmpty: true }),
  weight: field.uint32(3, { omitEmpty: true }),
});
