import { type Controller, defineController, exclusive, weak } from "../../mod/cosi/mod.ts";
import { EtcFileStatuses } from "../../resources/files/etc_file_status.ts";
import { HOSTNAME_STATUS_ID, HostnameStatuses } from "../../resources/network/hostname_status.ts";
import { NETWORK_STATUS_ID, NetworkStatuses } from "../../resources/network/network_status.ts";
import { CURRENT_NODE_ADDRESS_ID, NodeAddresses } from "../../resources/network/node_address.ts";
import { type RouteStatus, RouteStatuses } from "../../resources/network/route_status.ts";
import { HOSTS_FILE_ID, RESOLV_CONF_FILE_ID } from "./etc_file.ts";

/** Says what of the network is ready. */
export function networkStatusController(): Controller {
  let lastDefault = "";
  return defineController({
    name: "network.StatusController",
    inputs: [
      weak(NodeAddresses, { id: CURRENT_NODE_ADDRESS_ID }),
      weak(RouteStatuses),
      weak(HostnameStatuses, { id: HOSTNAME_STATUS_ID }),
      weak(EtcFileStatuses),
    ],
    outputs: [exclusive(NetworkStatuses)],
    async reconcile(r) {
      // a look at the route found last keeps a burst of 100,000 others from being listed each time
      let route = await r.get(RouteStatuses, lastDefault);
      if (route === undefined) {
        route = (await r.list(RouteStatuses)).find(({ spec }) => isDefaultRoute(spec));
        lastDefault = route?.metadata.id ?? "";
      }
      const current = await r.get(NodeAddresses, CURRENT_NODE_ADDRESS_ID);
      const files = await Promise.all([HOSTS_FILE_ID, RESOLV_CONF_FILE_ID].map((id) => r.get(EtcFileStatuses, id)));
      await r.modify(NetworkStatuses, NETWORK_STATUS_ID, {
        addressReady: (current?.spec.addresses.length ?? 0) > 0,
        connectivityReady: route !== undefined,
        hostnameReady: await r.get(HostnameStatuses, HOSTNAME_STATUS_ID) !== undefined,
        etcFilesReady: files.every((file) => file !== undefined),
      });
    },
  });
}

/** A way out: into the world, and not into a black hole. */
function isDefaultRoute({ dst, type, table }: RouteStatus): boolean {
  return dst === "" && type === "unicast" && table === "main";
}
