import { key, keys, required, type Untyped, untyped } from "./keys.ts";

/** A route of an interface in the v1alpha1 document. */
export interface InterfaceRoute {
  /** CIDR text; left out it is the default route. */
  readonly network?: string;
  readonly gateway?: string;
  readonly source?: string;
  readonly metric?: number;
  readonly mtu?: number;
}
const ROUTE = keys<InterfaceRoute>()({
  network: key.text,
  gateway: key.text,
  source: key.text,
  metric: key.uint32,
  mtu: key.uint32,
});

/** One entry of `machine.network.interfaces`. */
export interface InterfaceConfig {
  readonly interface?: string;
  readonly deviceSelector?: Untyped;
  /** CIDR text, or an address that stands for itself alone. */
  readonly addresses?: readonly string[];
  readonly routes?: readonly InterfaceRoute[];
  readonly mtu?: number;
  readonly dummy?: boolean;
  readonly ignore?: boolean;
  readonly dhcp?: boolean;
}

const DEVICE_SELECTOR = untyped({
  busPath: key.text,
  hardwareAddr: key.text,
  permanentAddr: key.text,
  pciID: key.text,
  driver: key.text,
  physical: key.flag,
});
const DHCP_OPTIONS = untyped({ routeMetric: key.uint32, ipv4: key.flag, ipv6: key.flag, duidv6: key.text });
const VIP = untyped({
  ip: key.text,
  equinixMetal: key.record(untyped({ apiToken: key.secret })),
  hcloud: key.record(untyped({ apiToken: key.secret })),
});
const VLAN = untyped({
  addresses: key.texts,
  routes: key.records(ROUTE),
  dhcp: key.flag,
  vlanId: key.uint32,
  mtu: key.uint32,
  vip: key.record(VIP),
  dhcpOptions: key.record(DHCP_OPTIONS),
  mode: key.words("802.1q", "802.1ad"),
});
const BOND = untyped({
  interfaces: key.texts,
  deviceSelectors: key.records(DEVICE_SELECTOR),
  arpIPTarget: key.texts,
  mode: key.text,
  xmitHashPolicy: key.text,
  lacpRate: key.text,
  adActorSystem: key.text,
  arpValidate: key.text,
  arpAllTargets: key.text,
  primary: key.text,
  primaryReselect: key.text,
  failOverMac: key.text,
  adSelect: key.text,
  miimon: key.uint32,
  updelay: key.uint32,
  downdelay: key.uint32,
  arpInterval: key.uint32,
  resendIgmp: key.uint32,
  minLinks: key.uint32,
  lpInterval: key.uint32,
  packetsPerSlave: key.uint32,
  numPeerNotif: key.uint32,
  tlbDynamicLb: key.uint32,
  allSlavesActive: key.uint32,
  useCarrier: key.flag,
  adActorSysPrio: key.uint32,
  adUserPortKey: key.uint32,
  peerNotifyDelay: key.uint32,
});
const WIREGUARD = untyped({
  privateKey: key.secret,
  listenPort: key.uint32,
  firewallMark: key.uint32,
  peers: key.records(untyped({
    publicKey: key.text,
    presharedKey: key.secret,
    endpoint: key.text,
    persistentKeepaliveInterval: key.duration,
    allowedIPs: key.texts,
  })),
});
const INTERFACE = keys<InterfaceConfig>()({
  interface: key.text,
  deviceSelector: key.record(DEVICE_SELECTOR),
  addresses: key.texts,
  routes: key.records(ROUTE),
  bond: key.record(BOND),
  bridge: key.record(untyped({
    interfaces: key.texts,
    stp: key.record(untyped({ enabled: key.flag })),
    vlan: key.record(untyped({ vlanFiltering: key.flag })),
  })),
  bridgePort: key.record(untyped({ master: key.text })),
  vlans: key.records(VLAN, { key: ["vlanId"] }),
  mtu: key.uint32,
  dhcp: key.flag,
  dhcpOptions: key.record(DHCP_OPTIONS),
  wireguard: key.record(WIREGUARD),
  dummy: key.flag,
  ignore: key.flag,
  vip: key.record(VIP),
});

/** One line of /etc/hosts. */
export interface ExtraHost {
  readonly ip: string;
  readonly aliases?: readonly string[];
}

/** `machine.network`. */
export interface MachineNetworkConfig {
  readonly hostname?: string;
  readonly interfaces?: readonly InterfaceConfig[];
  readonly nameservers?: readonly string[];
  readonly searchDomains?: readonly string[];
  readonly extraHostEntries?: readonly ExtraHost[];
  readonly disableSearchDomain?: boolean;
}

/** Shape of `machine.network`. */
export const MACHINE_NETWORK = keys<MachineNetworkConfig>()({
  hostname: key.text,
  interfaces: key.records(INTERFACE, { key: ["interface", "deviceSelector"] }),
  nameservers: key.texts,
  searchDomains: key.texts,
  extraHostEntries: key.records(keys<ExtraHost>()({ ip: required.text, aliases: key.texts })),
  kubespan: key.record(untyped({
    enabled: key.flag,
    advertiseKubernetesNetworks: key.flag,
    allowDownPeerBypass: key.flag,
    harvestExtraEndpoints: key.flag,
    mtu: key.uint32,
    filters: key.record(untyped({ endpoints: key.texts, excludeAdvertisedNetworks: key.texts })),
  })),
  disableSearchDomain: key.flag,
});
