import { createHash } from "node:crypto";
import type { MachineConfigDocuments } from "../../mod/config/mod.ts";
import { documentOf } from "../../mod/config/mod.ts";
import { type Controller, defineController, shared, weak } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { HOSTNAME_ID, type HostnameSpec, HostnameSpecs } from "../../resources/network/hostname_spec.ts";
import { type ConfigLayer, NETWORK_CONFIG } from "../../resources/network/layer.ts";
import { type NetworkArguments, parseNetworkArguments } from "./kernel_arguments.ts";
import { layeredWishes, type SourcedSpec } from "./layered_wish.ts";

/** What a name is made from, besides the machine config. */
export interface HostnameSources {
  /** The kernel's command line. */
  readonly cmdline: string;
  /** Any text that this machine keeps through reboots and no other machine has. */
  readonly machineId: string;
}

/** Names the node: by the config, by the command line, else by what the machine is. */
export function hostnameConfigController({ cmdline, machineId }: HostnameSources): Controller {
  const parsed = parseNetworkArguments(cmdline);
  return defineController({
    name: "network.HostnameConfigController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID })],
    outputs: [shared(HostnameSpecs)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const specs = hostnameSpecs(config && configOf(config), parsed, machineId);
      await r.sync(HostnameSpecs, layeredWishes(specs), { namespace: NETWORK_CONFIG });
    },
  });
}

/** Pure: the names that the sources give. */
export function hostnameSpecs(
  config: MachineConfigDocuments | undefined,
  kernel: NetworkArguments,
  machineId: string,
): SourcedSpec<HostnameSpec>[] {
  const document = config && documentOf(config, "HostnameConfig");
  const network = config?.v1alpha1?.machine?.network;
  const specs: SourcedSpec<HostnameSpec>[] = [];
  const add = (layer: ConfigLayer, source: string, name: string | undefined) => {
    if (name !== undefined && name !== "") specs.push({ id: HOSTNAME_ID, source, spec: splitName(name, layer) });
  };
  if (document?.value.auto !== "off") add("default", "built in", stableName(machineId));
  add("cmdline", kernel.hostnameSource, kernel.hostname);
  add("configuration", "machine.network.hostname", network?.hostname);
  add("configuration", "HostnameConfig", document?.value.hostname);
  return specs;
}

/** A name such as `monos-1ab-c2d` that depends on the machine only. */
export function stableName(machineId: string): string {
  const hash = createHash("sha256").update(machineId).digest();
  const text = hash.readBigUInt64BE().toString(36).padStart(6, "0");
  return `monos-${text.slice(0, 3)}-${text.slice(3, 6)}`;
}

function splitName(name: string, layer: ConfigLayer): HostnameSpec {
  const dot = name.indexOf(".");
  return dot < 0
    ? { hostname: name, domainname: "", layer }
    : { hostname: name.slice(0, dot), domainname: name.slice(dot + 1), layer };
}
