import { strictEqual } from "node:assert/strict";
import { checkCel } from "./cel.ts";
import { DISK_CEL, LINK_CEL, OOM_CEL, VOLUME_CEL } from "./cel_environments.ts";

const GOOD = [
  { text: "!system_disk && disk.size > 10u * GB", environment: DISK_CEL },
  { text: 'disk.transport in ["nvme", "sata"] ? true : disk.rotational', environment: DISK_CEL },
  { text: 'disk.symlinks.exists(s, s.startsWith("/dev/disk/by-id/")) || -1 < 2.5e3', environment: DISK_CEL },
  { text: "volume.label == r\"da\\ta\" && disk.dev_path.matches('^/dev/sd')", environment: VOLUME_CEL },
  { text: 'mac(link.permanent_addr) == "00:11:22:33:44:55" // a comment', environment: LINK_CEL },
  { text: '{System: 8.0, "x": [1, 2,]}[class] * double(memory_current.?a.orValue(0u)) > 75.0', environment: OOM_CEL },
];
for (const { text, environment } of GOOD) {
  Deno.test(`checkCel() accepts ${text}`, () => strictEqual(checkCel(text, environment), undefined));
}

const BAD = [
  { text: "disk.size >", environment: DISK_CEL, offset: 11 },
  { text: "disk.sise > 1", environment: DISK_CEL, offset: 5 },
  { text: "volume.size > 1u", environment: DISK_CEL, offset: 0 },
  { text: "link.alt_names.exists(n, m == 1)", environment: LINK_CEL, offset: 25 },
  { text: "(1", environment: OOM_CEL, offset: 2 },
  { text: "1 2", environment: OOM_CEL, offset: 2 },
  { text: "a = 1", environment: OOM_CEL, offset: 2 },
  { text: '"open', environment: OOM_CEL, offset: 0 },
  { text: "a ? b", environment: OOM_CEL, offset: 5 },
  { text: "(".repeat(5_000), environment: OOM_CEL, offset: 200 },
  { text: "a".repeat(20_000), environment: OOM_CEL, offset: 0 },
];
for (const { text, environment, offset } of BAD) {
  Deno.test(`checkCel() refuses ${text.slice(0, 40)}`, () => strictEqual(checkCel(text, environment)?.offset, offset));
}
