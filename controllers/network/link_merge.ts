import type { Controller } from "../../mod/cosi/mod.ts";
import { type LinkSpec, LinkSpecs } from "../../resources/network/link_spec.ts";
import { foldFields, mergeController, type MergeRule } from "./merge.ts";

/** Layers add to each other field by field: one may make a bond, another set its MTU. */
export const LINK_MERGE: MergeRule<LinkSpec> = {
  idOf: ({ name }) => name,
  fold: (wishes) => foldFields(wishes, { logical: false, kind: "", type: "netrom" }),
};

export function linkMergeController(): Controller {
  return mergeController("network.LinkMergeController", LinkSpecs, LINK_MERGE);
}
