import {
  ConfigError,
  decodeConfig,
  generateConfig,
  generateTalosconfig,
  type MachineConfigDocuments,
} from "../mod/config/mod.ts";
import { newSecretsBundle } from "../mod/pki/mod.ts";
import { dist, exists, removeIfThere, writeWhole } from "./paths.ts";
import { TaskError } from "./task.ts";

/** What {@link prepareNodeFiles} is to make. */
export interface NodeFilesOptions {
  /** Name of the node and of its folder below `dist/nodes/`. */
  name: string;
  /** A machine config to use instead of a generated one. */
  configFile?: string;
  /** Address of the node. */
  address: string;
  /** What clients connect to, each `host` or `host:port`: a node that is none of them cannot be reached yet. */
  endpoints: readonly string[];
}

/** Paths and content of a node's files. */
export interface NodeFiles {
  /** YAML text of the machine config, at `dist/nodes/NAME/controlplane.yaml`. */
  config: string;
  /** Path of the client's file, with an administrator's certificate. */
  talosconfig: string;
}

/** Where a node keeps the config that it was given last, which counts more for it than the one it starts with. */
const KEPT_CONFIG = "var/lib/monos/state/config.yaml";

/**
 * Makes `controlplane.yaml` and `talosconfig` in `dist/nodes/NAME/`. A generated config is kept for the next start of
 * the same node, so it keeps its identity. A config that is not the one of the last start takes the place of what was
 * applied since.
 * @throws {TaskError} when the given config cannot be read, or has no authority to sign the client's certificate with
 */
export async function prepareNodeFiles(options: NodeFilesOptions): Promise<NodeFiles> {
  const { name, address, endpoints } = options;
  const folder = dist("nodes", name);
  await Deno.mkdir(folder, { recursive: true });
  const path = `${folder}/controlplane.yaml`;
  const config = options.configFile === undefined
    ? await keptOrNewConfig(path, name, address)
    : await givenConfig(options.configFile);
  const authority = authorityOf(config, options.configFile ?? path); // before anything of the node is changed
  if (await textIfThere(path) !== config) {
    await removeIfThere(`${folder}/${KEPT_CONFIG}`); // else the node would go on with what it was given before
  }
  await writeWhole(path, config, 0o600);
  const talosconfig = `${folder}/talosconfig`;
  const text = generateTalosconfig({ clusterName: name, endpoints, nodes: [address], authority });
  await writeWhole(talosconfig, text, 0o600);
  return { config, talosconfig };
}

async function keptOrNewConfig(path: string, name: string, address: string): Promise<string> {
  const kept = await textIfThere(path);
  if (kept !== undefined) return kept;
  const secrets = await newSecretsBundle();
  return generateConfig({
    clusterName: name,
    endpoint: `https://${address}:6443`,
    secrets,
    machineType: "controlplane",
    additionalSans: ["127.0.0.1"],
  });
}

async function textIfThere(path: string): Promise<string | undefined> {
  return await exists(path) ? await Deno.readTextFile(path) : undefined;
}

async function givenConfig(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new TaskError(`Cannot read the machine config: there is no file "${file}"`, undefined, { cause: error });
    }
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.IsADirectory) {
      throw new TaskError(`Cannot read the machine config "${file}": ${error.message}`, undefined, { cause: error });
    }
    throw error;
  }
}

/** The authority of the machine API, `machine.ca`, of a config. */
function authorityOf(config: string, file: string): { crtPem: string; keyPem: string } {
  const ca = readConfig(config, file).v1alpha1?.machine?.ca;
  if (ca?.crt === undefined || ca.key === undefined || ca.key === "") {
    throw new TaskError(
      `Cannot make a talosconfig for "${file}": it has no machine.ca with certificate and key`,
      "Use the config of a control plane node.",
    );
  }
  return { crtPem: ca.crt, keyPem: ca.key };
}

function readConfig(config: string, file: string): MachineConfigDocuments {
  try {
    return decodeConfig(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new TaskError(`${file}: ${error.message}`, undefined, { cause: error });
  }
}
