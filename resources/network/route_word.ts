/** What happens to a packet that takes the route, RTN_… of linux/rtnetlink.h. */
export const ROUTE_TYPES = {
  unspec: 0,
  unicast: 1,
  local: 2,
  broadcast: 3,
  anycast: 4,
  multicast: 5,
  blackhole: 6,
  unreachable: 7,
  prohibit: 8,
  throw: 9,
  nat: 10,
  xresolve: 11,
} as const;

/** A word of {@link ROUTE_TYPES}. */
export type RouteType = keyof typeof ROUTE_TYPES;

/** Who made a route, RTPROT_… of linux/rtnetlink.h. */
export const ROUTE_PROTOCOLS = {
  unspec: 0,
  redirect: 1,
  kernel: 2,
  boot: 3,
  static: 4,
  ra: 9,
  mrt: 10,
  zebra: 11,
  bird: 12,
  dnrouted: 13,
  xorp: 14,
  ntk: 15,
  dhcp: 16,
  mrtd: 17,
  keepalived: 18,
  babel: 42,
  openr: 99,
  bgp: 186,
  isis: 187,
  ospf: 188,
  rip: 189,
  eigrp: 192,
} as const;

/** A word of {@link ROUTE_PROTOCOLS}. */
export type RouteProtocol = keyof typeof ROUTE_PROTOCOLS;

/** Flags of a route, RTM_F_… of linux/rtnetlink.h. */
export const ROUTE_FLAGS = {
  notify: 0x100,
  cloned: 0x200,
  equalize: 0x400,
  prefix: 0x800,
  lookup_table: 0x1000,
  fib_match: 0x2000,
  offload: 0x4000,
  trap: 0x8000,
} as const;

/** Metric of routes for which none was asked. */
export const DEFAULT_ROUTE_METRIC = 1024;
