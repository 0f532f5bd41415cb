/** Hardware types, ARPHRD_… of linux/if_arp.h. */
export const LINK_TYPES = {
  netrom: 0,
  ether: 1,
  eether: 2,
  ax25: 3,
  pronet: 4,
  chaos: 5,
  ieee802: 6,
  arcnet: 7,
  atalk: 8,
  dlci: 15,
  atm: 19,
  metricom: 23,
  ieee1394: 24,
  eui64: 27,
  infiniband: 32,
  slip: 256,
  cslip: 257,
  slip6: 258,
  cslip6: 259,
  rsrvd: 260,
  adapt: 264,
  rose: 270,
  x25: 271,
  hwx25: 272,
  can: 280,
  ppp: 512,
  hdlc: 513,
  lapb: 516,
  ddcmp: 517,
  rawhdlc: 518,
  ipip: 768,
  tunnel6: 769,
  frad: 770,
  skip: 771,
  loopback: 772,
  localtlk: 773,
  fddi: 774,
  bif: 775,
  sit: 776,
  "ip/ddp": 777,
  gre: 778,
  pimreg: 779,
  hippi: 780,
  ash: 781,
  econet: 782,
  irda: 783,
  fcpp: 784,
  fcal: 785,
  fcpl: 786,
  fcfb_0: 787,
  tr: 800,
  "ieee802.11": 801,
  "ieee802.11_prism": 802,
  "ieee802.11_radiotap": 803,
  "ieee802.15.4": 804,
  "ieee802.15.4_monitor": 805,
  phonet: 820,
  phonet_pipe: 821,
  caif: 822,
  ip6gre: 823,
  netlink: 824,
  "6lowpan": 825,
  nohdr: 65534,
  void: 65535,
} as const;

/** A word of {@link LINK_TYPES}. */
export type LinkType = keyof typeof LINK_TYPES;

/** Flags of a link, IFF_… of linux/if.h. */
export const LINK_FLAGS = {
  UP: 0x1,
  BROADCAST: 0x2,
  DEBUG: 0x4,
  LOOPBACK: 0x8,
  POINTTOPOINT: 0x10,
  NOTRAILERS: 0x20,
  RUNNING: 0x40,
  NOARP: 0x80,
  PROMISC: 0x100,
  ALLMULTI: 0x200,
  MASTER: 0x400,
  SLAVE: 0x800,
  MULTICAST: 0x1000,
  PORTSEL: 0x2000,
  AUTOMEDIA: 0x4000,
  DYNAMIC: 0x8000,
  LOWER_UP: 0x10000,
  DORMANT: 0x20000,
  ECHO: 0x40000,
} as const;

/** State of a link by RFC 2863, IF_OPER_… of linux/if.h. */
export const OPERATIONAL_STATES = {
  unknown: 0,
  notPresent: 1,
  down: 2,
  lowerLayerDown: 3,
  testing: 4,
  dormant: 5,
  up: 6,
} as const;

/** A word of {@link OPERATIONAL_STATES}. */
export type OperationalState = keyof typeof OPERATIONAL_STATES;

/** Connectors, PORT_… of linux/ethtool.h. */
export const PORTS = {
  TwistedPair: 0,
  AUI: 1,
  MII: 2,
  Fibre: 3,
  BNC: 4,
  DirectAttach: 5,
  None: 239,
  Other: 255,
} as const;

/** A word of {@link PORTS}. */
export type Port = keyof typeof PORTS;

/** DUPLEX_… of linux/ethtool.h. */
export const DUPLEXES = { Half: 0, Full: 1, Unknown: 255 } as const;

/** A word of {@link DUPLEXES}. */
export type Duplex = keyof typeof DUPLEXES;
