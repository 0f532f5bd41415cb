import { MATCH } from "./block.ts";
import { key, required, untyped } from "./keys.ts";

const BY_VOLUMES = key.record(untyped({ volumeSelector: MATCH }));

/** Volume groups, logical volumes and arrays, by kind. */
export const STORAGE_KINDS = {
  LVMVolumeGroupConfig: untyped({ name: required.text, provisioning: BY_VOLUMES }),
  LVMLogicalVolumeConfig: untyped({
    name: required.text,
    type: key.words("linear", "raid0", "raid1", "raid10"),
    mirrors: key.uint32,
    stripes: key.uint32,
    provisioning: key.record(untyped({ volumeGroup: key.text, minSize: key.size, maxSize: key.sizeLimit })),
  }),
  RAIDArrayConfig: untyped({
    name: required.text,
    level: key.words("raid1"),
    metadata: key.words("1.0", "1.2"),
    provisioning: BY_VOLUMES,
  }),
};
