import { API_PORT, ApiClient, MachineClient, ResourceClient } from "../../mod/api/mod.ts";
import { credentialsOf, readTalosconfig } from "../../mod/cli/mod.ts";
import { waitForPort } from "../reach.ts";

const TIMEOUT_MS = 30_000;

/** Makes the calls that a node is asked first, on this machine's own loopback address. */
export async function makeFirstCalls(talosconfig: string): Promise<void> {
  const credentials = await credentialsOf({ path: talosconfig, config: await readTalosconfig(talosconfig) });
  await waitForPort("127.0.0.1", API_PORT, TIMEOUT_MS);
  using client = new ApiClient({ endpoints: ["127.0.0.1"], ...credentials });
  const machine = new MachineClient(client);
  await machine.version();
  await machine.services();
  await new ResourceClient(client).list({ namespace: "network", type: "AddressStatuses.net.talos.dev" });
}
