import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";

/** Addresses of a name that no name server is asked for; its id is the name. */
export interface StaticHost {
  addresses: readonly string[];
}

export const StaticHosts = defineResource<StaticHost>()({
  type: "StaticHosts.net.talos.dev",
  namespace: NETWORK,
  columns: [{ name: "Addresses", path: "{.addresses}" }],
  fields: { addresses: field.list(1, field.ip()) },
});
