import { parseSize, parseSizeLimit } from "../schema/mod.ts";
import { DISK_CEL, VOLUME_CEL } from "./cel_environments.ts";
import { checkExpression, checkUrl } from "./forms.ts";
import type { Place } from "./place.ts";

const SYSTEM_VOLUMES = ["STATE", "EPHEMERAL", "IMAGECACHE", "ETCD", "CRI", "KUBELET", "LOG"];
const KEY_KINDS = ["static", "nodeID", "kms", "tpm"];
const MAX_VOLUME_NAME = 34;

function checkSizes(provisioning: Place): void {
  checkExpression(provisioning.at("diskSelector", "match"), DISK_CEL);
  const min = parseSize(provisioning.at("minSize").text);
  const max = parseSizeLimit(provisioning.at("maxSize").text);
  if (min !== undefined && max !== undefined && "bytes" in max && max.bytes > 0 && min > max.bytes) {
    provisioning.at("minSize").error("more than maxSize");
  }
}

function checkEncryption(encryption: Place): void {
  if (!encryption.isSet) return;
  encryption.at("keys").require();
  const slots = new Set<number>();
  for (const key of encryption.at("keys").items) {
    const slot = key.at("slot").number ?? 0;
    if (slots.has(slot)) key.at("slot").error(`key slot ${slot} is taken by an earlier key`);
    slots.add(slot);
    const kinds = KEY_KINDS.filter((kind) => key.at(kind).isSet);
    if (kinds.length !== 1) key.error(`expected one of ${KEY_KINDS.join(", ")}, found ${kinds.length}`);
    if (key.at("static").isSet) key.at("static", "passphrase").require();
    if (key.at("kms").isSet) checkUrl(key.at("kms", "endpoint"), "https", "grpc");
  }
}

function checkName(name: Place): void {
  if (name.text.length > MAX_VOLUME_NAME) name.error(`a volume's name has at most ${MAX_VOLUME_NAME} characters`);
  else if (!/^[a-zA-Z0-9_-]*$/.test(name.text)) name.error(`a volume's name holds letters, digits, "-" and "_" only`);
}

/** A new partition: which disk, and how large. */
function checkPartition(volume: Place): void {
  checkName(volume.at("name"));
  const provisioning = volume.at("provisioning");
  provisioning.at("diskSelector", "match").require();
  if (!provisioning.at("minSize").isSet && !provisioning.at("maxSize").isSet) {
    provisioning.error("neither minSize nor maxSize is set");
  }
  checkSizes(provisioning);
  checkEncryption(volume.at("encryption"));
}

/** Checks of documents about disks and volumes, by kind. */
export const BLOCK_CHECKS: Readonly<Record<string, (document: Place) => void>> = {
  VolumeConfig(volume) {
    if (volume.at("name").text === "") return;
    volume.at("name").oneOf(SYSTEM_VOLUMES);
    if (volume.at("name").text === "STATE" && volume.at("provisioning").isSet) {
      volume.at("provisioning").error("the STATE volume takes no provisioning");
    }
    checkSizes(volume.at("provisioning"));
    checkEncryption(volume.at("encryption"));
  },
  UserVolumeConfig(volume) {
    switch (volume.at("volumeType").text) {
      case "directory":
        checkName(volume.at("name"));
        if (volume.at("provisioning").isSet) volume.at("provisioning").error("a directory takes no provisioning");
        if (volume.at("encryption").isSet) volume.at("encryption").error("a directory takes no encryption");
        return;
      case "disk":
        checkName(volume.at("name"));
        volume.at("provisioning", "diskSelector", "match").require();
        checkSizes(volume.at("provisioning"));
        return checkEncryption(volume.at("encryption"));
      default:
        return checkPartition(volume);
    }
  },
  RawVolumeConfig: checkPartition,
  SwapVolumeConfig: checkPartition,
  ExistingVolumeConfig(volume) {
    checkName(volume.at("name"));
    const match = volume.at("discovery", "volumeSelector", "match");
    if (match.require()) checkExpression(match, VOLUME_CEL);
  },
  ExternalVolumeConfig(volume) {
    checkName(volume.at("name"));
    if (volume.at("filesystemType").require()) volume.at("mount", "virtiofs", "tag").require();
  },
  ZswapConfig(zswap) {
    const { number = 0 } = zswap.at("maxPoolPercent");
    if (number > 100) zswap.at("maxPoolPercent").error(`expected a share from 0 to 100, found ${number}`);
  },
  LVMVolumeGroupConfig: checkVolumes,
  LVMLogicalVolumeConfig(volume) {
    volume.at("type").require();
    volume.at("provisioning", "volumeGroup").require();
    checkSizes(volume.at("provisioning"));
  },
  RAIDArrayConfig(array) {
    array.at("level").require();
    checkVolumes(array);
  },
};

function checkVolumes(document: Place): void {
  const match = document.at("provisioning", "volumeSelector", "match");
  if (match.require()) checkExpression(match, VOLUME_CEL);
}
