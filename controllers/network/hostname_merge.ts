import type { Controller } from "../../mod/cosi/mod.ts";
import { HOSTNAME_ID, type HostnameSpec, HostnameSpecs } from "../../resources/network/hostname_spec.ts";
import { foldWhole, mergeController, type MergeRule } from "./merge.ts";

/** The highest layer names the node. */
export const HOSTNAME_MERGE: MergeRule<HostnameSpec> = { idOf: () => HOSTNAME_ID, fold: foldWhole };

export function hostnameMergeController(): Controller {
  return mergeController("network.HostnameMergeController", HostnameSpecs, HOSTNAME_MERGE);
}
