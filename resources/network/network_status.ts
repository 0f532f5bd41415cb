import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";
import { NETWORK } from "./layer.ts";

/** Id of the one status. */
export const NETWORK_STATUS_ID = "status";

/** What of the network is ready; others wait for these flags. */
export interface NetworkStatus {
  /** The node has an address. */
  addressReady: boolean;
  /** All probes succeed or, when there are none, a default route exists. */
  connectivityReady: boolean;
  hostnameReady: boolean;
  /** /etc/hosts and /etc/resolv.conf are written. */
  etcFilesReady: boolean;
}

export const NetworkStatuses = defineResource<NetworkStatus>()({
  type: "NetworkStatuses.net.talos.dev",
  namespace: NETWORK,
  aliases: ["netstatus", "netstatuses"],
  columns: [
    { name: "Address", path: "{.addressReady}" },
    { name: "Connectivity", path: "{.connectivityReady}" },
    { name: "Hostname", path: "{.hostnameReady}" },
    { name: "Etc", path: "{.etcFilesReady}" },
  ],
  fields: {
    addressReady: field.bool(1),
    connectivityReady: field.bool(2),
    hostnameReady: field.bool(3),
    etcFilesReady: field.bool(4),
  },
});
