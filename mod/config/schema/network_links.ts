import { key, keys, required, untyped } from "./keys.ts";

/** An address of a link. */
export interface LinkAddress {
  /** CIDR text with host bits. */
  readonly address: string;
  readonly routePriority?: number;
}
/** A route out of a link. */
export interface LinkRoute {
  /** CIDR text; left out it is the default route of the gateway's family. */
  readonly destination?: string;
  readonly gateway?: string;
  readonly source?: string;
  readonly metric?: number;
  readonly mtu?: number;
  /** `main`, `local`, `default`, or a number. */
  readonly table?: string;
}
/** What every link document may set. */
export interface LinkSettings {
  readonly up?: boolean;
  readonly mtu?: number;
  readonly addresses?: readonly LinkAddress[];
  readonly routes?: readonly LinkRoute[];
  readonly multicast?: boolean;
}

const SETTINGS = {
  up: key.flag,
  mtu: key.uint32,
  addresses: key.records(keys<LinkAddress>()({ address: required.prefix, routePriority: key.uint32 })),
  routes: key.records(
    keys<LinkRoute>()({
      destination: key.prefix,
      gateway: key.ip,
      source: key.ip,
      metric: key.uint32,
      mtu: key.uint32,
      table: key.table,
    }),
  ),
  multicast: key.flag,
};

/** Settings of a link that exists already; the name is the kernel's, an alias or an alternative name. */
export interface LinkConfig extends LinkSettings {
  readonly name: string;
}
/** A dummy link to be made. */
export interface DummyLinkConfig extends LinkSettings {
  readonly name: string;
  readonly hardwareAddr?: string;
}

const BOND = {
  links: key.texts,
  bondMode: key.words(
    "balance-rr",
    "active-backup",
    "balance-xor",
    "broadcast",
    "802.3ad",
    "balance-tlb",
    "balance-alb",
  ),
  miimon: key.uint32,
  updelay: key.uint32,
  downdelay: key.uint32,
  useCarrier: key.flag,
  xmitHashPolicy: key.words("layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"),
  arpInterval: key.uint32,
  arpIpTargets: key.ips,
  nsIp6Targets: key.ips,
  arpValidate: key.words("none", "active", "backup", "all", "filter", "filter-active", "filter-backup"),
  arpAllTargets: key.words("any", "all"),
  lacpRate: key.words("slow", "fast"),
  failOverMac: key.words("none", "active", "follow"),
  adSelect: key.words("stable", "bandwidth", "count"),
  adActorSysPrio: key.uint32,
  adUserPortKey: key.uint32,
  adLACPActive: key.words("on", "off"),
  primary: key.text,
  primaryReselect: key.words("always", "better", "failure"),
  resendIGMP: key.uint32,
  minLinks: key.uint32,
  lpInterval: key.uint32,
  packetsPerSlave: key.uint32,
  numPeerNotif: key.uint32,
  tlbLogicalLb: key.uint32,
  allSlavesActive: key.uint32,
  peerNotifDelay: key.uint32,
  missedMax: key.uint32,
};

/** Links, by kind. */
export const LINK_KINDS = {
  LinkConfig: keys<LinkConfig>()({ name: required.text, ...SETTINGS }),
  DummyLinkConfig: keys<DummyLinkConfig>()({ name: required.text, hardwareAddr: key.mac, ...SETTINGS }),
  VLANConfig: untyped({
    name: required.text,
    vlanID: required.uint32,
    vlanMode: key.words("802.1q", "802.1ad"),
    parent: required.text,
    ...SETTINGS,
  }),
  BondConfig: untyped({ name: required.text, hardwareAddr: key.mac, ...BOND, ...SETTINGS }),
  BridgeConfig: untyped({
    name: required.text,
    hardwareAddr: key.mac,
    links: key.texts,
    stp: key.record(untyped({ enabled: key.flag })),
    vlan: key.record(untyped({ filtering: key.flag })),
    ...SETTINGS,
  }),
  VRFConfig: untyped({
    name: required.text,
    hardwareAddr: key.mac,
    links: key.texts,
    table: key.table,
    ...SETTINGS,
  }),
  VethConfig: untyped({
    name: required.text,
    peer: key.record(untyped({ name: required.text, ...SETTINGS })),
    ...SETTINGS,
  }),
  WireguardConfig: untyped({
    name: required.text,
    privateKey: required.secret,
    listenPort: key.uint32,
    firewallMark: key.uint32,
    peers: key.records(untyped({
      publicKey: required.text,
      presharedKey: key.secret,
      endpoint: key.text,
      persistentKeepaliveInterval: key.duration,
      allowedIPs: key.prefixes,
    })),
    ...SETTINGS,
  }),
  LinkAliasConfig: untyped({ name: required.text, selector: key.record(untyped({ match: key.text })) }),
  EthernetConfig: untyped({
    name: required.text,
    features: key.flagMap,
    rings: key.record(untyped({
      rx: key.uint32,
      tx: key.uint32,
      "rx-mini": key.uint32,
      "rx-jumbo": key.uint32,
      "rx-buf-len": key.uint32,
      "cqe-size": key.uint32,
      "tx-push": key.flag,
      "rx-push": key.flag,
      "tx-push-buf-len": key.uint32,
      "tcp-data-split": key.flag,
    })),
    channels: key.record(untyped({ rx: key.uint32, tx: key.uint32, other: key.uint32, combined: key.uint32 })),
    wakeOnLan: key.texts,
  }),
};
