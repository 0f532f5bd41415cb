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

/** Texts read last: a config is checked, stored and used within moments, and reading it takes longer than using it. */
const recent = new Map<string, MachineConfigDocuments>();
const MAX_RECENT = 4;
const decoded = new WeakMap<MachineConfig, MachineConfigDocuments>();

/**
 * The documents of a text; a text that was read a moment ago is not read again.
 * @throws {ConfigError} when the text is no config.
 */
export function readConfig(yaml: string): MachineConfigDocuments {
  let config = recent.get(yaml);
  if (config === undefined) {
    config = decodeConfig(yaml);
    for (const oldest of recent.keys()) {
      if (recent.size < MAX_RECENT) break;
      recent.delete(oldest);
    }
    recent.set(yaml, config);
  }
  return config;
}

/**
 * The documents of a config; read once, however many controllers ask.
 * @throws {ConfigError} when the text is no config, which whoever stored it should have checked.
 */
export function configOf({ spec }: Resource<MachineConfig>): MachineConfigDocuments {
  let config = decoded.get(spec);
  if (config === undefined) {
    config = readConfig(spec.yaml);
    decoded.set(spec, config);
  }
  return config;
}
