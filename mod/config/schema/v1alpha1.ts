import { CLUSTER, type ClusterConfig } from "./v1alpha1_cluster.ts";
import { MACHINE, type MachineConfig } from "./v1alpha1_machine.ts";
import { key, keys } from "./keys.ts";

/** The document without a kind: the machine's own settings and those of its cluster. */
export interface V1Alpha1Config {
  readonly version?: "v1alpha1";
  readonly debug?: boolean;
  readonly persist?: boolean;
  readonly machine?: MachineConfig;
  readonly cluster?: ClusterConfig;
}

/** Shape of the document without a kind. */
export const V1ALPHA1 = keys<V1Alpha1Config>()({
  version: key.words("v1alpha1"),
  debug: key.flag,
  persist: key.flag,
  machine: key.record(MACHINE),
  cluster: key.record(CLUSTER),
});
