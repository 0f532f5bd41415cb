import { isEqual } from "../schema/mod.ts";
import { documentOf, documentsOf, type MachineConfigDocuments } from "./documents.ts";

/** Settings that are read once a boot: what they are called, and their value however the config says it. */
const AT_BOOT: readonly { readonly name: string; of(config: MachineConfigDocuments): unknown }[] = [
  { name: "machine.type", of: (config) => config.v1alpha1?.machine?.type },
  { name: "machine.install.disk", of: (config) => config.v1alpha1?.machine?.install?.disk },
  { name: "machine.install.diskSelector", of: (config) => config.v1alpha1?.machine?.install?.diskSelector },
  { name: "machine.install.extraKernelArgs", of: (config) => config.v1alpha1?.machine?.install?.extraKernelArgs },
  {
    name: "cluster.id",
    of: (config) => documentOf(config, "DiscoveryIdentityConfig")?.value.clusterID ?? config.v1alpha1?.cluster?.id,
  },
  {
    name: "cluster.secret",
    of: (config) =>
      documentOf(config, "DiscoveryIdentityConfig")?.value.clusterSecret ?? config.v1alpha1?.cluster?.secret,
  },
  { name: "SecurityProfileConfig", of: (config) => documentOf(config, "SecurityProfileConfig")?.value },
  { name: "VolumeConfig", of: (config) => documentsOf(config, "VolumeConfig").map(({ value }) => value) },
];

/** The changes that take effect at the next boot only, by name; empty when all of them apply to the running machine. */
export function changesNeedReboot(before: MachineConfigDocuments, after: MachineConfigDocuments): readonly string[] {
  return AT_BOOT.filter(({ of }) => !isEqual(of(before), of(after))).map(({ name }) => name);
}
