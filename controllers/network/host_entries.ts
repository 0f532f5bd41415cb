import type { MachineConfigDocuments } from "../../mod/config/mod.ts";
import { documentsOf } from "../../mod/config/mod.ts";
import { canonicalAddress } from "../../mod/netip/mod.ts";

/** One line of a hosts file. */
export interface HostEntry {
  readonly address: string;
  readonly names: readonly string[];
}

/** Pure: the lines that the machine config adds. */
export function configHostEntries(config: MachineConfigDocuments | undefined): HostEntry[] {
  if (config === undefined) return [];
  const extra = config.v1alpha1?.machine?.network?.extraHostEntries ?? [];
  const documents = documentsOf(config, "StaticHostConfig");
  return [
    ...extra.filter(({ ip }) => ip !== "").map(({ ip, aliases = [] }) => ({
      address: canonicalAddress(ip),
      names: aliases,
    })),
    ...documents.map(({ name, value }) => ({ address: canonicalAddress(name), names: value.hostnames ?? [] })),
  ];
}
