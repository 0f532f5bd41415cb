import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { cpioArchive, type CpioEntry, parentFolders } from "./cpio.ts";
import { neededLibraries } from "./elf_needed.ts";
import { dist, exists, removeIfThere, REPO, writeWhole } from "./paths.ts";
import { KERNEL_PACKAGE, LIBRARY_FOLDER } from "./root_definition.ts";
import { buildOnce, hashInputs, listFiles } from "./stamp.ts";
import { runCommand, step, TaskError } from "./task.ts";
import { ensurePackages } from "./tasks/apt.ts";
import { buildBinary } from "./tasks/build.ts";
import { buildRoot, extractPackages } from "./tasks/root.ts";

/**
 * What the initramfs holds besides our program and its libraries, all under `/early`: the machine's root as a
 * compressed file system, and the kernel modules without which it cannot be mounted, to be loaded in name order.
 * The program moves into that root without starting again, and takes along, by bind mounts, its own file and a config
 * that came with the boot medium.
 */
export const EARLY = {
  root: "early/root.squashfs",
  modules: "early/modules",
  /** A machine config that was packed in; the same path in the root is an empty folder to bind it on. */
  config: "usr/local/etc/talos/config.yaml",
} as const;

/** In loading order: what the root is mounted with, what containers are, and the network card of virtual machines. */
const EARLY_MODULES = [
  ...["drivers/block/loop", "fs/squashfs/squashfs", "fs/overlayfs/overlay"],
  ...["net/core/failover", "drivers/net/net_failover", "drivers/net/virtio_net"],
];
const KERNEL = () => dist("cache", "kernel");
const SQUASHFS = () => dist("cache", "root.squashfs");
/** Level 3: 45 MB in 0.4 s; level 15 would give 39 MB in 9 s. */
const ZSTD_LEVEL = 3;

/**
 * Makes `dist/vmlinuz` and `dist/initramfs.img` from the kernel package, the root tree and the program. What did not
 * change is not made again: a new program alone takes about a second.
 * @returns whether anything was built
 */
export async function buildMachineParts(): Promise<boolean> {
  await buildRoot();
  await buildKernel();
  await buildBinary();
  await buildSquashfs();
  const key = await hashInputs([...ownSources(), stampOf("squashfs"), stampOf("build")]);
  return await buildOnce("initramfs", key, [dist("initramfs.img")], async () => {
    await step("pack the initramfs", async () => {
      const parts = [cpioArchive(await earlyEntries()), await programPart()];
      await writeWhole(dist("initramfs.img"), concat(parts));
    });
  });
}

/** The version of the kernel in `dist/vmlinuz`, as in `/lib/modules`. */
export async function kernelVersion(): Promise<string> {
  const [version] = await Array.fromAsync(Deno.readDir(`${KERNEL()}/usr/lib/modules`));
  if (version === undefined) throw new TaskError(`Cannot find the kernel: no modules in ${KERNEL()}`);
  return version.name;
}

/** An initramfs part that brings a machine config along; put it behind `dist/initramfs.img`. */
export function configPart(config: Uint8Array): Uint8Array {
  return cpioArchive(withFolders([{ kind: "file", path: EARLY.config, data: config }]));
}

function ownSources(): string[] {
  const files = ["cpio.ts", "elf_needed.ts", "root_definition.ts"];
  return [fileURLToPath(import.meta.url), ...files.map((file) => `${REPO}image/${file}`)];
}

function stampOf(name: string): string {
  return dist("cache", `${name}.stamp`);
}

/** Unpacks the kernel package, and lists its modules' dependencies as its scripts would have done. */
async function buildKernel(): Promise<void> {
  await buildOnce(
    "kernel",
    await hashInputs(ownSources()),
    [KERNEL(), dist("vmlinuz")],
    async () => {
      const unpacked = dist("cache", "kernel-unpacked");
      await extractPackages([KERNEL_PACKAGE], unpacked);
      await ensurePackages(["kmod", "xz-utils"]);
      await step("pick the kernel and its modules", async () => {
        await removeIfThere(KERNEL());
        await Deno.mkdir(`${KERNEL()}/usr/lib`, { recursive: true });
        await Deno.rename(`${unpacked}/usr/lib/modules`, `${KERNEL()}/usr/lib/modules`);
        const version = await kernelVersion();
        await Deno.symlink("usr/lib", `${KERNEL()}/lib`);
        // Unpacked once here: the file system around them is compressed with what a machine unpacks ten times faster.
        const modules = await listFiles(`${KERNEL()}/usr/lib/modules`, (path) => path.endsWith(".ko.xz"));
        await runCommand(["xz", "--decompress", ...modules]);
        await runCommand(["depmod", "--basedir", KERNEL(), version]);
        await Deno.rename(`${unpacked}/boot/vmlinuz-${version}`, dist("vmlinuz"));
        await removeIfThere(unpacked);
      });
    },
  );
}

/** The root tree with the kernel's modules, as one compressed read-only file system. */
async function buildSquashfs(): Promise<void> {
  const key = await hashInputs([...ownSources(), stampOf("root"), stampOf("kernel")]);
  await buildOnce("squashfs", key, [SQUASHFS()], async () => {
    await ensurePackages(["squashfs-tools"]);
    await step("compress the root file system", async () => {
      const tree = dist("cache", "machine-root");
      await removeIfThere(tree);
      await runCommand(["cp", "--archive", "--link", dist("root"), tree]);
      await removeIfThere(`${tree}/usr/lib/modules`);
      await runCommand(["cp", "--archive", "--link", `${KERNEL()}/usr/lib/modules`, `${tree}/usr/lib/modules`]);
      await removeIfThere(`${SQUASHFS()}.new`);
      const flags = ["-quiet", "-no-progress", "-all-root", "-comp", "zstd", "-Xcompression-level", `${ZSTD_LEVEL}`];
      await runCommand(["mksquashfs", tree, `${SQUASHFS()}.new`, ...flags]);
      await Deno.rename(`${SQUASHFS()}.new`, SQUASHFS());
      await removeIfThere(tree);
    });
  });
}

/** Everything but the program: it rarely changes, and is compressed inside, so this part is stored as it is. */
async function earlyEntries(): Promise<CpioEntry[]> {
  const entries: CpioEntry[] = [
    { kind: "link", path: "init", target: "usr/bin/monos" },
    { kind: "link", path: "lib64", target: "usr/lib64" },
    { kind: "file", path: EARLY.root, data: await Deno.readFile(SQUASHFS()) },
  ];
  const modules = `${KERNEL()}/usr/lib/modules/${await kernelVersion()}/kernel`;
  for (const [index, path] of EARLY_MODULES.entries()) {
    const name = `${index}-${path.slice(path.lastIndexOf("/") + 1)}.ko`;
    const data = await Deno.readFile(`${modules}/${path}.ko`);
    entries.push({ kind: "file", path: `${EARLY.modules}/${name}`, data });
  }
  entries.push({
    kind: "link",
    path: "usr/lib64/ld-linux-x86-64.so.2",
    target: `../../${LIBRARY_FOLDER}/ld-linux-x86-64.so.2`,
  });
  entries.push(...await libraryEntries(neededLibraries(await Deno.readFile(dist("monos")))));
  // Mount points before there is a root: devices for the loop mount, and the root itself.
  return [...withFolders(entries), { kind: "folder", path: "dev" }, { kind: "folder", path: "proc" }, {
    kind: "folder",
    path: "sysroot",
  }];
}

async function libraryEntries(names: readonly string[]): Promise<CpioEntry[]> {
  const entries: CpioEntry[] = [];
  const done = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const path = `${LIBRARY_FOLDER}/${name}`;
    if (!await exists(dist("root", path))) {
      throw new TaskError(`Cannot pack the initramfs: no library "${name}" in dist/root`);
    }
    const data = await Deno.readFile(dist("root", path));
    entries.push({ kind: "file", path, data, executable: true });
    queue.push(...neededLibraries(data));
  }
  return entries;
}

/** The program, compressed: a machine starts no slower, and the image is a third smaller. */
async function programPart(): Promise<Uint8Array> {
  const data = await Deno.readFile(dist("monos"));
  const archive = cpioArchive(withFolders([{ kind: "file", path: "usr/bin/monos", data, executable: true }]));
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
}

/** The entries with all folders that lead to them in front. */
function withFolders(entries: readonly CpioEntry[]): CpioEntry[] {
  const folders = new Set(entries.flatMap(({ path }) => parentFolders(path)));
  return [...[...folders].sort().map((path): CpioEntry => ({ kind: "folder", path })), ...entries];
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + Math.ceil(part.length / 4) * 4, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += Math.ceil(part.length / 4) * 4;
  }
  return out;
}
