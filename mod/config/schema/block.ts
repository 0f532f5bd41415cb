import { item, key, required, untyped } from "./keys.ts";

/** Something picked by a CEL expression. */
export const MATCH = key.record(untyped({ match: key.text }));
const EMPTY = key.record(untyped({}));
const ENCRYPTION_KEY = untyped({
  slot: key.uint32,
  static: key.record(untyped({ passphrase: key.secret })),
  nodeID: EMPTY,
  kms: key.record(untyped({ endpoint: key.text })),
  tpm: key.record(untyped({
    options: key.record(untyped({ pcrs: key.list(item.int) })),
    checkSecurebootStatusOnEnroll: key.flag,
  })),
  lockToState: key.flag,
});
/** Key slots of an encrypted volume. */
export const ENCRYPTION_KEYS = key.records(ENCRYPTION_KEY);
const ENCRYPTION = key.record(untyped({
  provider: key.words("luks2"),
  keys: ENCRYPTION_KEYS,
  cipher: key.words("aes-xts-plain64", "xchacha12,aes-adiantum-plain64", "xchacha20,aes-adiantum-plain64"),
  keySize: key.uint32,
  blockSize: key.uint32,
  options: key.texts,
  allowDiscards: key.flag,
}));
const PROVISIONING = key.record(untyped({
  diskSelector: MATCH,
  grow: key.flag,
  minSize: key.size,
  maxSize: key.sizeLimit,
}));
const XFS = key.record(untyped({ minAllocationGroupSize: key.size }));
const MOUNT = { disableAccessTime: key.flag, secure: key.flag };
const EVERY = key.record(untyped({ enabled: key.flag, interval: key.duration }));
const UPKEEP = { trim: EVERY, scrub: EVERY };

/** Volumes and file systems, by kind. */
export const BLOCK_KINDS = {
  VolumeConfig: untyped({
    name: required.text,
    provisioning: PROVISIONING,
    filesystem: key.record(untyped({ xfs: XFS })),
    encryption: ENCRYPTION,
    mount: key.record(untyped(MOUNT)),
    ...UPKEEP,
  }),
  UserVolumeConfig: untyped({
    name: required.text,
    volumeType: key.words("directory", "disk", "partition"),
    provisioning: PROVISIONING,
    filesystem: key.record(untyped({
      type: key.words("ext4", "xfs", "btrfs"),
      projectQuotaSupport: key.flag,
      xfs: XFS,
    })),
    encryption: ENCRYPTION,
    mount: key.record(untyped(MOUNT)),
    ...UPKEEP,
  }),
  RawVolumeConfig: untyped({ name: required.text, provisioning: PROVISIONING, encryption: ENCRYPTION }),
  SwapVolumeConfig: untyped({ name: required.text, provisioning: PROVISIONING, encryption: ENCRYPTION }),
  ExistingVolumeConfig: untyped({
    name: required.text,
    discovery: key.record(untyped({ volumeSelector: MATCH })),
    mount: key.record(untyped({ readOnly: key.flag, ...MOUNT })),
    ...UPKEEP,
  }),
  ExternalVolumeConfig: untyped({
    name: required.text,
    filesystemType: key.words("virtiofs"),
    mount: key.record(untyped({
      readOnly: key.flag,
      ...MOUNT,
      virtiofs: key.record(untyped({ tag: key.text })),
    })),
  }),
  ZswapConfig: untyped({ maxPoolPercent: key.uint32, shrinkerEnabled: key.flag }),
  FilesystemTrimConfig: untyped({ interval: key.duration }),
  FilesystemScrubConfig: untyped({ interval: key.duration }),
};
