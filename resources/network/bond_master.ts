import { field, record } from "../../mod/schema/mod.ts";

/** How a bond spreads traffic, BOND_MODE_… of linux/if_bonding.h. */
export const BOND_MODES = {
  "balance-rr": 0,
  "active-backup": 1,
  "balance-xor": 2,
  broadcast: 3,
  "802.3ad": 4,
  "balance-tlb": 5,
  "balance-alb": 6,
} as const;

/** What a bond hashes to choose a member, BOND_XMIT_POLICY_… of linux/if_bonding.h. */
export const BOND_XMIT_HASH_POLICIES = {
  layer2: 0,
  "layer3+4": 1,
  "layer2+3": 2,
  "encap2+3": 3,
  "encap3+4": 4,
} as const;

/** How often LACP frames are sent. */
export const LACP_RATES = { slow: 0, fast: 1 } as const;

/** Which members check ARP probes. */
export const ARP_VALIDATES = {
  none: 0,
  active: 1,
  backup: 2,
  all: 3,
  filter: 4,
  "filter-active": 5,
  "filter-backup": 6,
} as const;

/** How many ARP targets must answer. */
export const ARP_ALL_TARGETS = { any: 0, all: 1 } as const;

/** When the primary member takes over again. */
export const PRIMARY_RESELECTS = { always: 0, better: 1, failure: 2 } as const;

/** Whether members share one MAC in active-backup mode. */
export const FAIL_OVER_MACS = { none: 0, active: 1, follow: 2 } as const;

/** How 802.3ad chooses an aggregate. */
export const AD_SELECTS = { stable: 0, bandwidth: 1, count: 2 } as const;

/** Whether LACP frames are sent unasked. */
export const AD_LACP_ACTIVES = { off: 0, on: 1 } as const;

/** Settings of a bond. @see Documentation/networking/bonding.rst of the kernel */
export interface BondMasterSpec {
  mode: keyof typeof BOND_MODES;
  xmitHashPolicy: keyof typeof BOND_XMIT_HASH_POLICIES;
  lacpRate: keyof typeof LACP_RATES;
  arpValidate: keyof typeof ARP_VALIDATES;
  arpAllTargets: keyof typeof ARP_ALL_TARGETS;
  /** Index of the preferred member, as the kernel reports it. */
  primaryIndex?: number;
  primaryReselect: keyof typeof PRIMARY_RESELECTS;
  failOverMac: keyof typeof FAIL_OVER_MACS;
  adSelect: keyof typeof AD_SELECTS;
  /** Milliseconds between looks at the carrier. */
  miimon: number;
  /** Milliseconds. */
  updelay: number;
  /** Milliseconds. */
  downdelay: number;
  /** Milliseconds. */
  arpInterval: number;
  resendIgmp: number;
  minLinks: number;
  /** Seconds. */
  lpInterval: number;
  packetsPerSlave: number;
  numPeerNotif: number;
  tlbLogicalLb: number;
  allSlavesActive: number;
  useCarrier: boolean;
  adActorSysPrio: number;
  adUserPortKey: number;
  /** Milliseconds. */
  peerNotifyDelay: number;
  arpIpTargets: readonly string[];
  nsIp6Targets: readonly string[];
  adLacpActive?: keyof typeof AD_LACP_ACTIVES;
  missedMax: number;
  /** Name of the preferred member. */
  primary: string;
}

const omitEmpty = { omitEmpty: true };

/** The fields of {@link BondMasterSpec}. */
export const BOND_MASTER = record<BondMasterSpec>()({
  mode: field.oneOf(1, BOND_MODES),
  xmitHashPolicy: field.oneOf(2, BOND_XMIT_HASH_POLICIES),
  lacpRate: field.oneOf(3, LACP_RATES),
  arpValidate: field.oneOf(4, ARP_VALIDATES),
  arpAllTargets: field.oneOf(5, ARP_ALL_TARGETS),
  primaryIndex: field.optional(field.uint32(6)),
  primaryReselect: field.oneOf(7, PRIMARY_RESELECTS),
  failOverMac: field.oneOf(8, FAIL_OVER_MACS),
  adSelect: field.oneOf(9, AD_SELECTS, omitEmpty),
  miimon: field.uint32(10, omitEmpty),
  updelay: field.uint32(11, omitEmpty),
  downdelay: field.uint32(12, omitEmpty),
  arpInterval: field.uint32(13, omitEmpty),
  resendIgmp: field.uint32(14, omitEmpty),
  minLinks: field.uint32(15, omitEmpty),
  lpInterval: field.uint32(16, omitEmpty),
  packetsPerSlave: field.uint32(17, omitEmpty),
  numPeerNotif: field.uint32(18, omitEmpty),
  tlbLogicalLb: field.uint32(19, omitEmpty),
  allSlavesActive: field.uint32(20, omitEmpty),
  useCarrier: field.bool(21, omitEmpty),
  adActorSysPrio: field.uint32(22, omitEmpty),
  adUserPortKey: field.uint32(23, omitEmpty),
  peerNotifyDelay: field.uint32(24, omitEmpty),
  arpIpTargets: field.list(25, field.ip(), omitEmpty),
  nsIp6Targets: field.list(26, field.ip(), omitEmpty),
  adLacpActive: field.optional(field.oneOf(27, AD_LACP_ACTIVES)),
  missedMax: field.uint32(28, omitEmpty),
  primary: field.string(29, omitEmpty),
});
