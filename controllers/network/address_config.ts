import type { Controller } from "../../mod/cosi/mod.ts";
import { canonicalPrefix, isLoopback } from "../../mod/netip/mod.ts";
import { addressId, type AddressSpec, AddressSpecs } from "../../resources/network/address_spec.ts";
import { familyOf } from "../../resources/network/family.ts";
import { linkWishController, type SourcedSpec } from "./layered_wish.ts";
import type { LinkWish } from "./link_wish.ts";

/** @param cmdline the kernel's command line */
export function addressConfigController(cmdline: string): Controller {
  return linkWishController("network.AddressConfigController", AddressSpecs, cmdline, addressSpecs);
}

/** Pure: the addresses that links must have. */
export function addressSpecs(wishes: readonly LinkWish[]): SourcedSpec<AddressSpec>[] {
  return wishes.flatMap(({ layer, source, name, addresses }) =>
    addresses.map(({ address: text, priority }) => {
      const address = canonicalPrefix(text);
      return {
        id: addressId(name, address),
        source,
        spec: {
          address,
          linkName: name,
          family: familyOf(address),
          scope: isLoopback(address.slice(0, address.indexOf("/"))) ? "host" : "global",
          flags: "permanent",
          announceWithARP: false,
          priority,
          layer,
        },
      };
    })
  );
}
