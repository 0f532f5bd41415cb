import type { CelEnvironment } from "./cel.ts";

const words = (text: string) => new Set(text.split(" "));

const DISK = words(
  "size io_size sector_size readonly model serial modalias wwid bus_path sub_system transport rotational cdrom " +
    "dev_path pretty_size secondary_disks uuid symlinks firmware_version",
);
const VOLUME = words(
  "size sector_size io_size name uuid label block_size filesystem_block_size probed_size partition_uuid " +
    "partition_type partition_label partition_index type device_path parent dev_path parent_dev_path pretty_size offset",
);
const LINK = words(
  "index type link_index flags hardware_addr broadcast_addr mtu queue_disc master_index operational_state kind " +
    "slave_kind bus_path pciid driver driver_version firmware_version product_id vendor_id product vendor link_state " +
    "speed_megabits port duplex vlan bridge_master bond_master wireguard permanent_addr alias alt_names vrf_master veth",
);
const UNITS = [...words("kB MB GB TB PB KiB MiB GiB TiB PiB")].map((unit) => [unit, "any"] as const);

/** Picks disks: `disk.size > 10u * GB && !system_disk`. */
export const DISK_CEL: CelEnvironment = {
  closed: true,
  variables: new Map<string, ReadonlySet<string> | "any">([["disk", DISK], ["system_disk", "any"], ...UNITS]),
};
/** Picks volumes on disks: `volume.label == "data" && !system_disk`. */
export const VOLUME_CEL: CelEnvironment = {
  closed: true,
  variables: new Map<string, ReadonlySet<string> | "any">([...DISK_CEL.variables, ["volume", VOLUME]]),
};
/** Picks links: `mac(link.permanent_addr) == "00:11:22:33:44:55"`. */
export const LINK_CEL: CelEnvironment = { closed: true, variables: new Map([["link", LINK]]) };
/** Weighs memory pressure; its variables depend on what the kernel measures, so only the grammar is checked. */
export const OOM_CEL: CelEnvironment = { closed: false, variables: new Map() };
