import { EEXIST } from "./errno.ts";
import { O_RDONLY, openFd } from "./fd.ts";
import { cstring, lastErrno, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";
import { libkmod } from "./libkmod.ts";

const SYS_finit_module = Deno.build.arch === "aarch64" ? 273n : 313n;
const MODULE_INIT_COMPRESSED_FILE = 4;
/** `install` lines of modprobe.d would start a shell. */
const KMOD_PROBE_IGNORE_COMMAND = 0x4;
const KMOD_PROBE_APPLY_BLACKLIST = 0x20000;

/**
 * Loads one kernel module from a file, without looking for what it depends on; a loaded one stays. The kernel
 * decompresses files that end in `.xz`, `.gz` or `.zst`.
 *
 * @throws {SyscallError} ENOEXEC: not for this kernel; EOPNOTSUPP: a kernel that cannot decompress
 */
export function loadModuleFile(path: string, parameters = ""): void {
  using file = openFd(path, O_RDONLY);
  const flags = /\.(xz|gz|zst)$/.test(path) ? MODULE_INIT_COMPRESSED_FILE : 0;
  if (libc().syscall_finit_module(SYS_finit_module, file.number, cstring(parameters), flags) < 0) {
    const errno = lastErrno();
    if (errno !== EEXIST) throw new SyscallError("load module", errno, `"${path}"`);
  }
}

/** Finds modules by name or alias and loads them with all that they depend on. Owns a libkmod context. */
export class ModuleLoader implements Disposable {
  #context: Deno.PointerValue;

  /** @throws {SyscallError} if libkmod cannot be set up */
  constructor() {
    this.#context = libkmod().kmod_new(null, null);
    if (this.#context === null) throw new SyscallError("kmod_new", 12);
    libkmod().kmod_load_resources(this.#context); // the index in memory; without, it is read from files
  }

  /**
   * Loads what the name or alias stands for, on another thread; one call at a time.
   *
   * @param alias e.g. `virtio_net` or `pci:v00001AF4d00001000sv…`
   * @returns names of the modules found; none for devices that need no module
   * @throws {SyscallError} of the first that cannot be loaded
   */
  async load(alias: string): Promise<string[]> {
    const list = new BigUint64Array(1);
    const found = libkmod().kmod_module_new_from_lookup(this.#context, cstring(alias), list);
    if (found < 0) throw new SyscallError("look up module", -found, `"${alias}"`);
    const first = Deno.UnsafePointer.create(list[0] ?? 0n);
    try {
      const names: string[] = [];
      for (let item = first; item !== null; item = libkmod().kmod_list_next(first, item)) {
        names.push(await this.#insert(item));
      }
      return names;
    } finally {
      libkmod().kmod_module_unref_list(first);
    }
  }

  async #insert(item: Deno.PointerValue): Promise<string> {
    const module = libkmod().kmod_module_get_module(item);
    try {
      const name = libkmod().kmod_module_get_name(module);
      const text = name === null ? "" : Deno.UnsafePointerView.getCString(name);
      const flags = KMOD_PROBE_IGNORE_COMMAND | KMOD_PROBE_APPLY_BLACKLIST;
      const failed = await libkmod().kmod_module_probe_insert_module(module, flags, null, null, null, null);
      if (failed < 0 && -failed !== EEXIST) throw new SyscallError("load module", -failed, `"${text}"`);
      return text;
    } finally {
      libkmod().kmod_module_unref(module);
    }
  }

  [Symbol.dispose](): void {
    const context = this.#context;
    this.#context = null;
    if (context !== null) libkmod().kmod_unref(context);
  }
}
