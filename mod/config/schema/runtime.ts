import { MATCH } from "./block.ts";
import { key, keys, required, untyped } from "./keys.ts";

/** Kernel parameters below /proc/sys, by dotted name. */
export interface SysctlConfig {
  readonly params?: Readonly<Record<string, string>>;
}

/** The running machine, by kind. */
export const RUNTIME_KINDS = {
  EnvironmentConfig: untyped({ variables: key.textMap }),
  EtcFileConfig: untyped({ name: required.text, mode: key.uint32, contents: key.text }),
  EventSinkConfig: untyped({ endpoint: required.text }),
  KmsgLogConfig: untyped({ name: required.text, url: required.text }),
  KernelModuleConfig: untyped({ name: required.text, parameters: key.texts }),
  SysctlConfig: keys<SysctlConfig>()({ params: key.textMap }),
  SysfsConfig: untyped({ params: key.textMap }),
  UdevRulesConfig: untyped({ rules: key.texts }),
  OOMConfig: untyped({
    triggerExpression: key.text,
    cgroupRankingExpression: key.text,
    strictCgroupClassOrdering: key.flag,
    sampleInterval: key.duration,
  }),
  SecurityProfileConfig: untyped({ workloadIsolation: key.flag }),
  UnattendedInstallConfig: untyped({
    reboot: key.flag,
    installer: key.record(untyped({ image: key.text })),
    provisioning: key.record(untyped({ diskSelector: MATCH, wipe: key.flag })),
  }),
  WatchdogTimerConfig: untyped({ device: required.text, timeout: key.duration }),
  ExtensionServiceConfig: untyped({
    name: required.text,
    configFiles: key.records(untyped({ content: key.text, mountPath: key.text }), { key: ["mountPath"] }),
    environment: key.texts,
  }),
  PCIDriverRebindConfig: untyped({ name: required.text, targetDriver: required.text }),
};
