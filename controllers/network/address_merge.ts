import type { Controller } from "../../mod/cosi/mod.ts";
import { WISHED_ADDRESS_FLAGS } from "../../resources/network/address_flag.ts";
import { addressId, type AddressSpec, AddressSpecs } from "../../resources/network/address_spec.ts";
import { foldWhole, mergeController, type MergeRule } from "./merge.ts";

/** The highest layer that wants an address on a link says how. */
export const ADDRESS_MERGE: MergeRule<AddressSpec> = {
  idOf: ({ linkName, address }) => addressId(linkName, address),
  fold(wishes) {
    const { spec, origins } = foldWhole(wishes);
    return { spec: { ...spec, flags: wishedFlags(spec.flags) }, origins };
  },
};

const wished: ReadonlySet<string> = new Set(WISHED_ADDRESS_FLAGS);

/** Flags that only the kernel may set are left out: comparing them would never come to rest. */
function wishedFlags(flags: string): string {
  return flags.split(",").filter((flag) => wished.has(flag)).join(",");
}

export function addressMergeController(): Controller {
  return mergeController("network.AddressMergeController", AddressSpecs, ADDRESS_MERGE);
}
