import type { Controller } from "../../mod/cosi/mod.ts";
import { routeId, type RouteSpec, RouteSpecs } from "../../resources/network/route_spec.ts";
import { foldWhole, mergeController, type MergeRule } from "./merge.ts";

/** The highest layer that wants a route says how. */
export const ROUTE_MERGE: MergeRule<RouteSpec> = { idOf: routeId, fold: foldWhole };

export function routeMergeController(): Controller {
  return mergeController("network.RouteMergeController", RouteSpecs, ROUTE_MERGE);
}
