import { item, key, keys, required, untyped } from "./keys.ts";
import { LINK_KINDS } from "./network_links.ts";

/** The machine's name. Exactly one of the two keys is set. */
export interface HostnameConfig {
  readonly auto?: "stable" | "off";
  readonly hostname?: string;
}
/** A DNS server. */
export interface NameserverConfig {
  readonly address: string;
  readonly protocol?: "Do53" | "DoT" | "DoH";
  readonly tlsServerName?: string;
}
/** How names are resolved. */
export interface ResolverConfig {
  readonly nameservers?: readonly NameserverConfig[];
  readonly searchDomains?: { readonly domains?: readonly string[]; readonly disableDefault?: boolean };
  readonly hostDNS?: HostDnsConfig;
}
/** The name server of the machine itself. */
export interface HostDnsConfig {
  readonly enabled?: boolean;
  readonly forwardKubeDNSToHost?: boolean;
  readonly resolveMemberNames?: boolean;
}
/** One line of /etc/hosts: the name is the address. */
export interface StaticHostConfig {
  readonly name: string;
  readonly hostnames?: readonly string[];
}

const PROBE = { interval: key.duration, failureThreshold: key.uint32, timeout: key.duration };
const DHCP = {
  name: required.text,
  routeMetric: key.uint32,
  ignoreHostname: key.flag,
  clientIdentifier: key.words("none", "mac", "duid"),
  duidRaw: key.hex,
};
const BGP_NEIGHBOR = untyped({
  address: key.text,
  link: key.text,
  peerASN: key.uint32,
  localASN: key.uint32,
  passive: key.flag,
  holdTime: key.duration,
  bfd: key.record(untyped({
    transmitInterval: key.duration,
    receiveInterval: key.duration,
    detectMultiplier: key.uint32,
  })),
});

/** Names, operators, rules and routing, by kind. */
const SERVICE_KINDS = {
  HostnameConfig: keys<HostnameConfig>()({ auto: key.words("stable", "off"), hostname: key.text }),
  ResolverConfig: keys<ResolverConfig>()({
    nameservers: key.records(
      keys<NameserverConfig>()({
        address: required.ip,
        protocol: key.words("Do53", "DoT", "DoH"),
        tlsServerName: key.text,
      }),
    ),
    searchDomains: key.record(
      keys<NonNullable<ResolverConfig["searchDomains"]>>()({
        domains: key.texts,
        disableDefault: key.flag,
      }),
    ),
    hostDNS: key.record(
      keys<HostDnsConfig>()({
        enabled: key.flag,
        forwardKubeDNSToHost: key.flag,
        resolveMemberNames: key.flag,
      }),
    ),
  }),
  TimeSyncConfig: untyped({
    enabled: key.flag,
    bootTimeout: key.duration,
    ntp: key.record(untyped({ servers: key.texts, useNTS: key.flag })),
    ptp: key.record(untyped({ devices: key.texts })),
  }),
  StaticHostConfig: keys<StaticHostConfig>()({ name: required.text, hostnames: key.texts }),
  DHCPv4Config: untyped({ ...DHCP, ignoreRoutes: key.flag }),
  DHCPv6Config: untyped(DHCP),
  Layer2VIPConfig: untyped({ name: required.text, link: required.text }),
  HCloudVIPConfig: untyped({ name: required.text, link: required.text, apiToken: key.secret }),
  BlackholeRouteConfig: untyped({ name: required.text, metric: key.uint32 }),
  RoutingRuleConfig: untyped({
    name: required.text,
    src: key.prefix,
    dst: key.prefix,
    table: key.table,
    action: key.words("unicast", "blackhole", "unreachable", "prohibit"),
    iifName: key.text,
    oifName: key.text,
    fwMark: key.uint32,
    fwMask: key.uint32,
  }),
  NetworkDefaultActionConfig: untyped({ ingress: key.words("accept", "block") }),
  NetworkRuleConfig: untyped({
    name: required.text,
    portSelector: key.record(untyped({
      ports: key.list(item.text),
      protocol: key.words("tcp", "udp", "icmp", "icmpv6"),
    })),
    ingress: key.records(untyped({ subnet: required.prefix, except: key.prefix })),
  }),
  TCPProbeConfig: untyped({ name: required.text, endpoint: required.text, ...PROBE }),
  HTTPProbeConfig: untyped({ name: required.text, url: required.text, ...PROBE }),
  KubeSpanConfig: untyped({
    enabled: key.flag,
    advertiseKubernetesNetworks: key.flag,
    allowDownPeerBypass: key.flag,
    harvestExtraEndpoints: key.flag,
    mtu: key.uint32,
    filters: key.record(untyped({ endpoints: key.texts, excludeAdvertisedNetworks: key.prefixes })),
  }),
  KubeSpanEndpointsConfig: untyped({ extraAnnouncedEndpoints: key.texts }),
  BGPInstanceConfig: untyped({
    name: required.text,
    vrf: key.text,
    localASN: required.uint32,
    routerID: key.ip,
    routeSource: key.ip,
    advertise: key.texts,
    multipath: key.flag,
    maxPaths: key.uint32,
    installRoutes: key.flag,
    importRoutes: key.records(untyped({ bgpInstance: key.text, prefixes: key.prefixes })),
    neighbors: key.records(BGP_NEIGHBOR),
  }),
};

/** Everything about the network, by kind. */
export const NETWORK_KINDS = { ...LINK_KINDS, ...SERVICE_KINDS };
