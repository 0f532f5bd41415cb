/** The device behind a network card; what is not known is empty text or 0. */
export interface LinkHardware {
  /** Place on its bus, such as `0000:00:03.0`. */
  readonly busPath: string;
  /** Vendor and device on PCI, such as `1AF4:1000`. */
  readonly pciID: string;
  readonly driver: string;
  /** 0 without a carrier. */
  readonly speedMbit: number;
}

/** Of a link that is made by software. */
export const NO_HARDWARE: LinkHardware = { busPath: "", pciID: "", driver: "", speedMbit: 0 };

/** What sysfs tells of a link. @see Documentation/ABI/testing/sysfs-class-net of the kernel */
export function linkHardware(name: string, classFolder = "/sys/class/net"): LinkHardware {
  const device = `${classFolder}/${name}/device`;
  const busPath = lastPart(() => Deno.readLinkSync(device));
  if (busPath === "") return NO_HARDWARE;
  const [vendor, id] = ["vendor", "device"].map((file) =>
    readText(`${device}/${file}`).replace(/^0x/, "").toUpperCase()
  );
  const speed = Number(readText(`${classFolder}/${name}/speed`));
  return {
    busPath,
    pciID: vendor && id ? `${vendor}:${id}` : "",
    driver: lastPart(() => Deno.readLinkSync(`${device}/driver`)),
    speedMbit: speed > 0 ? speed : 0,
  };
}

function lastPart(readLink: () => string): string {
  try {
    return readLink().split("/").at(-1) ?? "";
  } catch {
    return ""; // no such link: the device has no such property
  }
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch {
    return ""; // the kernel answers with an error where a property has no value, such as the speed of a link that is down
  }
}
