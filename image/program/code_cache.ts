import { generateConfig, generateTalosconfig } from "../../mod/config/mod.ts";
import { newSecretsBundle } from "../../mod/pki/mod.ts";
import { startNodeProcess } from "../node_process.ts";
import { dist, removeIfThere } from "../paths.ts";
import { TaskError } from "../task.ts";
import { WARM_UP } from "./warm_up_files.ts";

const CLUSTER = "warm-up";

/**
 * The bytecode of what a start of the program runs: compiling it each time takes a fifth of the start, and far more on
 * slow processors. To get it, a node is started in namespaces without any link to this machine.
 *
 * @param binary a build of `warm_up.ts`
 * @throws {TaskError} when the node does not come up
 */
export async function warmUp(binary: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = dist("cache", "warm-up");
  await writeNodeFiles(folder);
  const console = `${folder}/console.log`;
  const { statuses } = await startNodeProcess({
    root: dist("root"),
    target: `${folder}/root`,
    overlay: { upper: `${folder}/upper`, work: `${folder}/work` },
    binds: [
      { source: binary, target: "/sbin/init", readOnly: true },
      { source: `${folder}/config.yaml`, target: WARM_UP.config, readOnly: true },
      { source: `${folder}/var`, target: "/var" },
    ],
    console,
    argv: ["/sbin/init", "talos.platform=container"],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/", TERM: "linux" },
    hostname: CLUSTER,
    cgroup: `monos/${CLUSTER}-${Deno.pid}`,
    dieWithParent: true,
  }, { program: binary });
  let code = -1;
  for await (const status of statuses) if (status.stage === "ended") code = status.code;
  if (code !== 0) throw new TaskError("Cannot warm the program up: the node did not come up", `See ${console}`);
  const cache = await Deno.readFile(`${folder}${WARM_UP.cache}`);
  await removeIfThere(folder);
  return cache;
}

async function writeNodeFiles(folder: string): Promise<void> {
  await removeIfThere(folder);
  for (const part of ["upper", "work", "root", "var"]) await Deno.mkdir(`${folder}/${part}`, { recursive: true });
  const secrets = await newSecretsBundle({ rsaBits: 2048 });
  const options = { clusterName: CLUSTER, endpoint: "https://127.0.0.1:6443" };
  const config = generateConfig({ ...options, secrets, machineType: "controlplane" });
  await Deno.writeTextFile(`${folder}/config.yaml`, config);
  const { crt, key } = secrets.certs.os;
  const authority = { crtPem: atob(crt), keyPem: atob(key) };
  const talosconfig = generateTalosconfig({ clusterName: CLUSTER, endpoints: ["127.0.0.1"], authority });
  await Deno.writeTextFile(`${folder}${WARM_UP.talosconfig}`, talosconfig);
}
