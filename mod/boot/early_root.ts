import { attachLoop } from "../../kernel/loop.ts";
import { loadModuleFile } from "../../kernel/module.ts";
import { changeRoot, mount, MS_BIND, MS_MOVE, MS_NODEV, MS_NOSUID, MS_RDONLY } from "../../kernel/mount.ts";
import { changeFolder } from "../../kernel/machine.ts";

/** What the initramfs holds for us; the image is built to it. */
const EARLY_ROOT = "/early/root.squashfs";
const EARLY_MODULES = "/early/modules";
const NEW_ROOT = "/sysroot";
/** Where systemd-stub puts `/loader/credentials/talos.config.cred` of the EFI partition: a config for this disk. */
const CONFIG_CREDENTIAL = "/.extra/global_credentials/talos.config.cred";
const CONFIG_FOLDER = "/usr/local/etc/talos";
/** Taken along into the new root, where the same paths are empty: this program, and a config packed into the image. */
const TAKEN_ALONG = ["/usr/bin/monos", CONFIG_FOLDER];

/**
 * Moves from the initramfs into the machine's root: a compressed read-only file system in a file of the initramfs. The
 * program goes on running, its own file is bound into the new root. Where there is no such file, nothing happens.
 * /proc is mounted already, since Deno needs it.
 *
 * @throws {SyscallError} ENODEV, ENOEXEC: the kernel and the modules do not fit
 */
export function enterRoot(): void {
  if (!isThere(EARLY_ROOT)) return;
  mount({ source: "devtmpfs", target: "/dev", type: "devtmpfs", flags: MS_NOSUID, data: "mode=0755" });
  const modules = [...Deno.readDirSync(EARLY_MODULES)].map(({ name }) => name).sort();
  for (const name of modules) loadModuleFile(`${EARLY_MODULES}/${name}`);
  const { path, device } = attachLoop(EARLY_ROOT);
  using _keepUntilMounted = device;
  mount({ source: path, target: NEW_ROOT, type: "squashfs", flags: MS_RDONLY | MS_NODEV });
  if (isThere(CONFIG_CREDENTIAL)) {
    Deno.mkdirSync(CONFIG_FOLDER, { recursive: true });
    Deno.renameSync(CONFIG_CREDENTIAL, `${CONFIG_FOLDER}/config.yaml`);
  }
  for (const place of TAKEN_ALONG) {
    if (isThere(place)) mount({ source: place, target: `${NEW_ROOT}${place}`, flags: MS_BIND });
  }
  for (const place of ["/dev", "/proc"]) mount({ source: place, target: `${NEW_ROOT}${place}`, flags: MS_MOVE });
  changeFolder(NEW_ROOT);
  mount({ source: ".", target: "/", flags: MS_MOVE }); // rootfs itself can be neither left by pivot_root nor unmounted
  changeRoot(".");
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
