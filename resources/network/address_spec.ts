import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { ADDRESS_FLAGS } from "./address_flag.ts";
import { FAMILIES, type Family } from "./family.ts";
import { CONFIG_LAYERS, type ConfigLayer, NETWORK } from "./layer.ts";
import { type Scope, SCOPES } from "./scope.ts";

/** An address that must be present on a link. One per link and prefix. */
export interface AddressSpec {
  /** CIDR text with host bits, such as `10.0.0.5/24`. */
  address: string;
  /** Kernel name, alias or altname; the link need not exist yet. */
  linkName: string;
  family: Family;
  scope: Scope;
  /** Names of `ADDRESS_FLAGS`, joined with `,`. */
  flags: string;
  /** Tell the neighbours at once that the address is here, by gratuitous ARP. */
  announceWithARP: boolean;
  /** Metric of the prefix route that the kernel makes; 0 leaves it to the kernel. */
  priority: number;
  layer: ConfigLayer;
}

export const AddressSpecs = defineResource<AddressSpec>()({
  type: "AddressSpecs.net.talos.dev",
  namespace: NETWORK,
  fields: {
    address: field.prefix(1),
    linkName: field.string(2),
    family: field.oneOf(3, FAMILIES),
    scope: field.oneOf(4, SCOPES),
    flags: field.flags(5, ADDRESS_FLAGS),
    announceWithARP: field.bool(6, { omitEmpty: true }),
    priority: field.uint32(8, { omitEmpty: true }),
    layer: field.oneOf(7, CONFIG_LAYERS),
  },
});

/** `<link>/<prefix>`, of wishes and of what the kernel has. */
export function addressId(linkName: string, address: string): string {
  return `${linkName}/${address}`;
}
