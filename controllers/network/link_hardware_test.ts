import { deepStrictEqual } from "node:assert/strict";
import { linkHardware, NO_HARDWARE } from "./link_hardware.ts";

Deno.test("linkHardware() reads bus, PCI numbers, driver and speed", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const device = `${folder}/devices/pci0000:00/0000:00:03.0`;
    Deno.mkdirSync(device, { recursive: true });
    Deno.mkdirSync(`${folder}/eth0`);
    Deno.symlinkSync("../devices/pci0000:00/0000:00:03.0", `${folder}/eth0/device`);
    Deno.symlinkSync("../../../bus/pci/drivers/virtio_net", `${device}/driver`);
    Deno.writeTextFileSync(`${device}/vendor`, "0x1af4\n");
    Deno.writeTextFileSync(`${device}/device`, "0x1000\n");
    Deno.writeTextFileSync(`${folder}/eth0/speed`, "10000\n");
    deepStrictEqual(linkHardware("eth0", folder), {
      busPath: "0000:00:03.0",
      pciID: "1AF4:1000",
      driver: "virtio_net",
      speedMbit: 10_000,
    });
    Deno.writeTextFileSync(`${folder}/eth0/speed`, "-1\n");
    Deno.removeSync(`${device}/vendor`);
    deepStrictEqual([linkHardware("eth0", folder).speedMbit, linkHardware("eth0", folder).pciID], [0, ""]);
    deepStrictEqual(linkHardware("eth9", folder), NO_HARDWARE);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
