import type { RtnlAddress } from "../../kernel/rtnetlink/address.ts";
import type { Controller, Wanted } from "../../mod/cosi/mod.ts";
import { ADDRESS_FLAGS } from "../../resources/network/address_flag.ts";
import { addressId } from "../../resources/network/address_spec.ts";
import { type AddressStatus, AddressStatuses } from "../../resources/network/address_status.ts";
import { SCOPES } from "../../resources/network/scope.ts";
import { kernelStatusController } from "./kernel_status.ts";
import type { NetworkView } from "./network_view.ts";
import { FlagNames, Words } from "./words.ts";

/** Shows the addresses that the kernel has. */
export function addressStatusController(view: NetworkView): Controller {
  const statuses = (key: string): Wanted<AddressStatus>[] => {
    const address = view.addressAt(key);
    const link = address && view.link(address.linkIndex);
    if (address === undefined || link === undefined) return [];
    return [{ id: addressId(link.name, address.prefix), spec: addressStatus(address, link.name) }];
  };
  return kernelStatusController("network.AddressStatusController", AddressStatuses, {
    feed: view.addressFeed,
    statuses,
    *all() {
      for (const [key] of view.addresses()) yield [key, statuses(key)];
    },
  });
}

const scopes = new Words(SCOPES, "nowhere");
const flagNames = new FlagNames(ADDRESS_FLAGS);

/** Pure: what is shown of an address. */
export function addressStatus(address: RtnlAddress, linkName: string): AddressStatus {
  const { prefix, family } = address;
  return {
    address: prefix,
    local: family === 4 ? prefix.slice(0, prefix.indexOf("/")) : "", // for IPv6 the kernel tells it with a peer only
    broadcast: address.broadcast,
    anycast: address.anycast,
    multicast: address.multicast,
    linkIndex: address.linkIndex,
    linkName,
    family: family === 4 ? "inet4" : "inet6",
    scope: scopes.word(address.scope),
    flags: flagNames.text(address.flags),
    priority: address.priority,
  };
}
