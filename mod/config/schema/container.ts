import { field } from "../../schema/mod.ts";
import { key, required, untyped } from "./keys.ts";

const NETWORKS = key.list(field.word(["addresses", "connectivity", "hostname", "etcfiles"]));
const MOUNT_OPTIONS = key.list(
  field.word(["ro", "rw", "noexec", "nosuid", "nodev", "noatime", "rbind", "rshared"]),
);

/** Containers of the machine itself, by kind. */
export const CONTAINER_KINDS = {
  ContainerConfig: untyped({
    name: required.text,
    image: required.text,
    entrypoint: key.texts,
    args: key.texts,
    workingDir: key.text,
    runAs: key.record(untyped({ uid: key.uint32, gid: key.uint32 })),
    environment: key.texts,
    mounts: key.records(untyped({
      userVolume: key.record(untyped({ name: key.text, destination: key.text, options: MOUNT_OPTIONS })),
      tmpfs: key.record(untyped({ destination: key.text, size: key.size, options: key.texts })),
      hostPath: key.record(untyped({ source: key.text, destination: key.text, options: key.texts })),
    })),
    security: key.record(untyped({
      profile: key.text,
      capabilities: key.record(untyped({ add: key.texts, drop: key.texts })),
    })),
    network: key.record(untyped({ mode: key.text })),
    resources: key.record(untyped({ limits: key.record(untyped({ cpu: key.text, memory: key.text })) })),
    dependsOn: key.record(untyped({
      paths: key.texts,
      networks: NETWORKS,
      time: key.flag,
      containers: key.texts,
    })),
  }),
};
