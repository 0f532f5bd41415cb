/** The kernel's parameters, as a controller needs them. */
export interface Sysctls {
  /** The value without its line end; undefined when the kernel does not know the parameter. */
  read(path: string): string | undefined;
  /** @throws {Error} when the kernel refuses the value. */
  write(path: string, value: string): void;
}

/** The parameters of the running kernel, below /proc/sys and /sys. */
export const kernelSysctls: Sysctls = {
  read(path) {
    try {
      return Deno.readTextFileSync(path).trimEnd();
    } catch (cause) {
      if (cause instanceof Deno.errors.NotFound) return undefined;
      throw cause;
    }
  },
  write: (path, value) => Deno.writeTextFileSync(path, value, { create: false }),
};

/**
 * The file of a parameter: `proc.sys.net.ipv4.ip_forward` is `/proc/sys/net/ipv4/ip_forward`. A slash stands for a dot
 * that belongs to a name, as in sysctl(8): `proc.sys.net.ipv4.conf.eth0/100.rp_filter`.
 */
export function sysctlPath(id: string): string {
  const parts = id.split(".").map((part) => part.replaceAll("/", "."));
  if (parts.some((part) => part === "" || part === "..")) {
    throw new RangeError(`Cannot find parameter "${id}": bad name`);
  }
  return `/${parts.join("/")}`;
}

/**
 * The id of a parameter as a person writes it: with dots, or with slashes, in which case a dot belongs to a name
 * (`net/ipv4/conf/eth0.100/rp_filter`).
 */
export function sysctlId(name: string): string {
  const firstDot = name.indexOf("."), firstSlash = name.indexOf("/");
  const slashed = firstSlash !== -1 && (firstDot === -1 || firstSlash < firstDot);
  const dotted = slashed ? name.split("/").map((part) => part.replaceAll(".", "/")).join(".") : name;
  return `proc.sys.${dotted}`;
}
