import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { CONFIG_LAYERS, type ConfigLayer, NETWORK } from "./layer.ts";

/** Id of the one merged host name. */
export const HOSTNAME_ID = "hostname";

/** The name that the node must have. */
export interface HostnameSpec {
  /** First label. */
  hostname: string;
  /** The labels after it, or empty. */
  domainname: string;
  layer: ConfigLayer;
}

export const HostnameSpecs = defineResource<HostnameSpec>()({
  type: "HostnameSpecs.net.talos.dev",
  namespace: NETWORK,
  fields: { hostname: field.string(1), domainname: field.string(2), layer: field.oneOf(3, CONFIG_LAYERS) },
});
