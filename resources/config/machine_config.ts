import { decodeConfig, type MachineConfigDocuments } from "../../mod/config/mod.ts";
import { defineResource, type Resource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** Id of the config that the machine works by. */
export const ACTIVE_MACHINE_CONFIG_ID = "v1alpha1";
/** Id of the config that is on disk. */
export const PERSISTENT_MACHINE_CONFIG_ID = "persistent";

/** A whole machine config. */
export interface MachineConfig {
  /** All documents, as they were given. */
  yaml: string;
}

export const MachineConfigs = defineResource<MachineConfig>()({
  type: "MachineConfigs.config.talos.dev",
  namespace: "config",
  sensitive: true,
  fields: { yaml: field.text(1) },
  plain: ({ yaml }) => yaml,
});

const decoded = new WeakMap<MachineConfig, MachineConfigDocuments>();

/**
 * The documents of a config; read once, however many controllers ask.
 * @throws {ConfigError} when the text is no config, which whoever stored it should have checked.
 */
export function configOf({ spec }: Resource<MachineConfig>): MachineConfigDocuments {
  let config = decoded.get(spec);
  if (config === undefined) {
    config = decodeConfig(spec.yaml);
    decoded.set(spec, config);
  }
  return config;
}
