import type { Controller } from "../../mod/cosi/mod.ts";
import { type LinkSpec, LinkSpecs } from "../../resources/network/link_spec.ts";
import { parseNetworkArguments } from "./kernel_arguments.ts";
import { linkWishController, type SourcedSpec } from "./layered_wish.ts";
import type { LinkWish } from "./link_wish.ts";

/** @param cmdline the kernel's command line */
export function linkConfigController(cmdline: string): Controller {
  const { notes } = parseNetworkArguments(cmdline);
  return linkWishController("network.LinkConfigController", LinkSpecs, cmdline, linkSpecs, notes);
}

/** Pure: how the links must be. */
export function linkSpecs(wishes: readonly LinkWish[]): SourcedSpec<LinkSpec>[] {
  return wishes.map(({ layer, source, name, kind, up, mtu, multicast, hardwareAddr }) => ({
    id: name,
    source,
    spec: {
      name,
      logical: kind !== "",
      up,
      ...(mtu === undefined ? {} : { mtu }),
      kind,
      type: kind === "" ? "netrom" : "ether",
      ...(hardwareAddr === undefined ? {} : { hardwareAddr }),
      layer,
      ...(multicast === undefined ? {} : { multicast }),
    },
  }));
}
