import { fileURLToPath } from "node:url";
import { buildMachineParts, kernelVersion } from "../machine_parts.ts";
import { machineMirrors, sourceLines } from "../mirror.ts";
import { dist, exists, removeIfThere, REPO } from "../paths.ts";
import { SUITE } from "../root_definition.ts";
import { buildOnce, hashInputs } from "../stamp.ts";
import { runCommand, runTask, step, TaskError } from "../task.ts";
import { ensurePackages } from "./apt.ts";

/** mkosi and what it calls. It comes from the release that the image is made of: older ones lack what it needs. */
const TOOLS = [
  ...["mkosi", "systemd-boot", "systemd-boot-efi", "systemd-ukify", "systemd-repart", "python3-pefile"],
  ...["mtools", "dosfstools", "kmod", "cpio", "zstd", "debian-archive-keyring"],
];
const TOOLS_ROOT = () => dist("cache", "mkosi-tools");
const DEFINITIONS = `${REPO}image/mkosi`;
/** Where the EFI partition starts in the image, as systemd-repart lays it out. */
const ESP_OFFSET = "1M";
const FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.fd";
const FIRMWARE_VARIABLES = "/usr/share/OVMF/OVMF_VARS_4M.fd";

/**
 * Makes `dist/monos.raw`, which boots through UEFI from a disk or a USB stick.
 * @returns whether it had to be made
 */
export async function buildImage(): Promise<boolean> {
  await buildMachineParts();
  await buildTools();
  const definitions = ["mkosi.conf", "mkosi.repart/00-esp.conf", "in_tools_root.sh"].map((f) => `${DEFINITIONS}/${f}`);
  const stamps = ["initramfs", "kernel", "mkosi-tools"].map((name) => dist("cache", `${name}.stamp`));
  const key = await hashInputs([...definitions, ...stamps, fileURLToPath(import.meta.url)]);
  return await buildOnce("image", key, [dist("monos.raw")], async () => {
    await step("build the disk image", async () => {
      const output = dist("cache", "mkosi");
      await removeIfThere(output);
      await prepareTrees(output);
      await runMkosi(output);
      await Deno.rename(`${output}/monos.raw`, dist("monos.raw"));
      await removeIfThere(output);
    });
  });
}

/**
 * A disk for one virtual machine: the image with a machine config put on its EFI partition, where systemd-stub finds
 * it and hands it on in the initramfs.
 */
export async function nodeDisk(
  name: string,
  config: string,
): Promise<{ disk: string; firmware: string; variables: string }> {
  await ensurePackages(["mtools"]);
  if (!await exists(FIRMWARE)) throw new TaskError(`Cannot boot through UEFI: there is no ${FIRMWARE}`);
  const disk = dist("nodes", name, "disk.raw");
  const variables = dist("nodes", name, "firmware-variables.fd");
  await runCommand(["cp", "--sparse=always", dist("monos.raw"), disk]);
  await Deno.chmod(disk, 0o600); // the config has keys
  await Deno.copyFile(FIRMWARE_VARIABLES, variables);
  const partition = `${disk}@@${ESP_OFFSET}`;
  await runCommand(["mmd", "-i", partition, "::/loader/credentials"]);
  await runCommand(["mcopy", "-i", partition, "-", "::/loader/credentials/talos.config.cred"], { stdin: config });
  return { disk, firmware: FIRMWARE, variables };
}

/** A tree of its own for mkosi, once: 300 MB, half a minute. */
async function buildTools(): Promise<void> {
  await buildOnce("mkosi-tools", await hashInputs([], [SUITE, ...TOOLS]), [TOOLS_ROOT()], async () => {
    if (Deno.uid() !== 0) {
      throw new TaskError("Cannot build the image: not root", "Run the task with sudo, or as root.");
    }
    await ensurePackages(["mmdebstrap", "debian-archive-keyring"]);
    await removeIfThere(TOOLS_ROOT());
    const flags = ["--mode=root", "--variant=apt", `--include=${TOOLS.join(",")}`];
    const sources = sourceLines(await machineMirrors());
    await step(
      "install mkosi into a tree of its own, once (half a minute)",
      () => runCommand(["mmdebstrap", ...flags, SUITE, TOOLS_ROOT(), ...sources]),
    );
  });
}

/** The base tree, with what mkosi expects of any root, and the extra tree with the kernel and the EFI programs. */
async function prepareTrees(folder: string): Promise<void> {
  const version = await kernelVersion();
  const modules = `usr/lib/modules/${version}`;
  const efi = "usr/lib/systemd/boot/efi";
  for (const path of ["base/etc", "base/efi", "base/boot", "base/usr/lib", `extra/${modules}`, `extra/${efi}`]) {
    await Deno.mkdir(`${folder}/${path}`, { recursive: true });
  }
  await Deno.copyFile(dist("root/usr/lib/os-release"), `${folder}/base/usr/lib/os-release`);
  await Deno.symlink("../usr/lib/os-release", `${folder}/base/etc/os-release`);
  await Deno.copyFile(dist("vmlinuz"), `${folder}/extra/${modules}/vmlinuz`);
  // With these files there it does not run depmod, which the tree has not.
  for (const name of ["modules.dep", "modules.dep.bin", "modules.symbols", "modules.symbols.bin"]) {
    await Deno.copyFile(`${dist("cache/kernel")}/${modules}/${name}`, `${folder}/extra/${modules}/${name}`);
  }
  for await (const { name } of Deno.readDir(`${TOOLS_ROOT()}/${efi}`)) {
    await Deno.copyFile(`${TOOLS_ROOT()}/${efi}/${name}`, `${folder}/extra/${efi}/${name}`);
  }
}

async function runMkosi(folder: string): Promise<void> {
  await ensurePackages(["mount"]);
  const options = [
    ...["--directory", DEFINITIONS, "--output-directory", folder, "--workspace-directory", folder],
    ...["--base-tree", `${folder}/base`, "--extra-tree", `${folder}/extra`, "--initrd", dist("initramfs.img")],
    ...["--cache-only=always", "--force", "build"],
  ];
  const enter = ["unshare", "--mount", "sh", `${DEFINITIONS}/in_tools_root.sh`, TOOLS_ROOT(), REPO.replace(/\/$/, "")];
  await runCommand([...enter, "/usr/bin/mkosi", ...options], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } });
}

if (import.meta.main) {
  await runTask(async () => {
    if (!await buildImage()) console.error("  dist/monos.raw is up to date");
  });
}
