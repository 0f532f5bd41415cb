import { parseArgs } from "node:util";
import { buildMachineParts, configPart } from "../machine_parts.ts";
import { requireUnusedName } from "../name_in_use.ts";
import { prepareNodeFiles } from "../node_files.ts";
import { dist } from "../paths.ts";
import { runTask, step, TaskError } from "../task.ts";
import { freePort, startVm, type Vm, VM_KERNEL_ARGUMENTS, VM_NETWORK, type VmOptions, waitForTls } from "../vm.ts";
import { ensurePackages } from "./apt.ts";
import { printHints } from "./hints.ts";
import { buildImage, nodeDisk } from "./image.ts";

const USAGE = `Usage: deno task boot [--uefi] [--config FILE] [--detach] [--name NAME]

Boots the operating system in QEMU and forwards a loopback port to its API.

  --uefi         boot dist/monos.raw through a UEFI firmware, instead of kernel and initramfs directly
  --config FILE  use this machine config, instead of a generated one
  --detach       leave it running; without, the console is shown here and Ctrl-C ends the machine
  --name NAME    its name and that of its folder below dist/nodes (default: vm)`;

const API_PORT = 50000;
/** Most of it is for a computer that is busy: 5 s are usual, 20 s with UEFI. */
const READY_TIMEOUT_MS = 180_000;

/** What the flags of the task say. */
export interface BootFlags {
  uefi: boolean;
  detach: boolean;
  name: string;
  /** Path of a machine config; without, one is generated. */
  config: string | undefined;
}

/** What tests ask for besides. */
export interface BootOptions extends BootFlags, Pick<VmOptions, "consoleSocket"> {
  /** How long the API may take to answer. */
  readyTimeoutMs?: number;
}

/**
 * Boots the operating system in QEMU, and returns once its API is up (detached) or it has ended.
 * @throws {TaskError} when something of that name runs; when it ends or stays silent before its API is up; only a detached one is left running then
 */
export async function boot(options: BootOptions): Promise<void> {
  const { uefi, detach, name, config, readyTimeoutMs = READY_TIMEOUT_MS, ...rest } = options;
  await requireUnusedName(name); // before anything of it is changed
  const apiPort = freePort(API_PORT);
  const endpoint = `127.0.0.1:${apiPort}`;
  const files = await prepareNodeFiles({
    name,
    address: VM_NETWORK.address,
    endpoints: [endpoint],
    ...(config !== undefined && { configFile: config }),
  });
  await ensurePackages(uefi ? ["qemu-system-x86", "ovmf"] : ["qemu-system-x86"]);
  await (uefi ? buildImage() : buildMachineParts());
  const bootArguments = await (uefi ? uefiArguments(name, files.config) : directArguments(name, files.config));
  const started = performance.now();
  const vm = await startVm({ name, bootArguments, apiPort, detach, ...rest });
  try {
    await apiUp(vm, name, apiPort, readyTimeoutMs);
  } catch (error) {
    await vm.stop?.();
    throw error;
  }
  console.error(`  up in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  printHints({ talosconfig: files.talosconfig, node: VM_NETWORK.address, endpoint, name });
  if (detach) return;
  console.log("Ctrl-C ends the machine.");
  const code = await vm.ended;
  if (code !== 0) throw new TaskError(`QEMU ended with code ${code}`);
}

async function apiUp(vm: Vm, name: string, apiPort: number, timeoutMs: number): Promise<void> {
  const early = await Promise.race([waitForTls(apiPort, timeoutMs), vm.ended]);
  if (typeof early !== "number") return;
  throw new TaskError(
    `The machine ended with code ${early} before its API was up`,
    `See ${dist("nodes", name)}/console.log`,
  );
}

/** The config travels as one more part of the initramfs: a kernel command line has room for 2 kB only. */
async function directArguments(name: string, config: string): Promise<string[]> {
  const initramfs = dist("nodes", name, "initramfs.img");
  await step("pack the config", async () => {
    await Deno.copyFile(dist("initramfs.img"), initramfs);
    await Deno.chmod(initramfs, 0o600); // the config has keys
    await Deno.writeFile(initramfs, configPart(new TextEncoder().encode(config)), { append: true });
  });
  return ["-kernel", dist("vmlinuz"), "-initrd", initramfs, "-append", `${VM_KERNEL_ARGUMENTS} loglevel=4`];
}

/** The address travels as an SMBIOS string, which systemd-stub appends to the kernel command line of the image. */
async function uefiArguments(name: string, config: string): Promise<string[]> {
  const { disk, firmware, variables } = await step("copy the image", () => nodeDisk(name, config));
  return [
    ...["-drive", `if=pflash,format=raw,unit=0,readonly=on,file=${firmware}`],
    ...["-drive", `if=pflash,format=raw,unit=1,file=${variables}`],
    ...["-drive", `if=none,id=disk,format=raw,file=${disk}`, "-device", "virtio-blk-pci,drive=disk,bootindex=0"],
    ...["-smbios", `type=11,value=io.systemd.stub.kernel-cmdline-extra=${VM_KERNEL_ARGUMENTS}`],
  ];
}

function readFlags(args: readonly string[]): BootFlags | "help" {
  const options = {
    uefi: { type: "boolean", default: false },
    detach: { type: "boolean", default: false },
    name: { type: "string", default: "vm" },
    config: { type: "string" },
    help: { type: "boolean", default: false, short: "h" },
  } as const;
  try {
    const { values: { help, uefi, detach, name, config } } = parseArgs({ args: [...args], options });
    if (help) return "help";
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
      throw new TaskError(`Cannot use "${name}" as a name: only lower-case letters, digits and hyphens`);
    }
    return { uefi, detach, name, config };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TaskError(error.message, USAGE, { cause: error });
  }
}

if (import.meta.main) {
  await runTask(async () => {
    const flags = readFlags(Deno.args);
    if (flags === "help") console.log(USAGE);
    else await boot(flags);
  });
}
