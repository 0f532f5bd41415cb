import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { ADDRESS_FLAGS } from "./address_flag.ts";
import { FAMILIES, type Family } from "./family.ts";
import { NETWORK } from "./layer.ts";
import { type Scope, SCOPES } from "./scope.ts";

/** An address that the kernel has on a link; absent parts are empty text. */
export interface AddressStatus {
  /** CIDR text with host bits. */
  address: string;
  /** The own end, where it differs in meaning from the peer's (point-to-point links). */
  local: string;
  broadcast: string;
  anycast: string;
  multicast: string;
  linkIndex: number;
  linkName: string;
  family: Family;
  scope: Scope;
  /** Names of `ADDRESS_FLAGS`, joined with `,`. */
  flags: string;
  /** Metric of the prefix route, 0 when the kernel chose it. */
  priority: number;
}

export const AddressStatuses = defineResource<AddressStatus>()({
  type: "AddressStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["address", "addresses"],
  columns: [{ name: "Address", path: "{.address}" }, { name: "Link", path: "{.linkName}" }],
  fields: {
    address: field.prefix(1),
    local: field.ip(2, { omitEmpty: true }),
    broadcast: field.ip(3, { omitEmpty: true }),
    anycast: field.ip(4, { omitEmpty: true }),
    multicast: field.ip(5, { omitEmpty: true }),
    linkIndex: field.uint32(6),
    linkName: field.string(7),
    family: field.oneOf(8, FAMILIES),
    scope: field.oneOf(9, SCOPES),
    flags: field.flags(10, ADDRESS_FLAGS),
    priority: field.uint32(11),
  },
});
