/** Flags of an address, IFA_F_… of linux/if_addr.h. */
export const ADDRESS_FLAGS = {
  temporary: 0x1,
  nodad: 0x2,
  optimistic: 0x4,
  dadfailed: 0x8,
  homeaddress: 0x10,
  deprecated: 0x20,
  tentative: 0x40,
  permanent: 0x80,
  mngmtmpaddr: 0x100,
  noprefixroute: 0x200,
  mcautojoin: 0x400,
  stableprivacy: 0x800,
} as const;

/** Flags that a wish may carry; the rest is the kernel's own account of an address. */
export const WISHED_ADDRESS_FLAGS: readonly (keyof typeof ADDRESS_FLAGS)[] = [
  "nodad",
  "optimistic",
  "homeaddress",
  "permanent",
  "mngmtmpaddr",
  "noprefixroute",
  "mcautojoin",
  "stableprivacy",
];
