/** Message types, include/uapi/linux/rtnetlink.h. */
export const RTM_NEWLINK = 16;
export const RTM_DELLINK = 17;
export const RTM_GETLINK = 18;
export const RTM_NEWADDR = 20;
export const RTM_DELADDR = 21;
export const RTM_GETADDR = 22;
export const RTM_NEWROUTE = 24;
export const RTM_DELROUTE = 25;
export const RTM_GETROUTE = 26;

/** Address families, include/linux/socket.h. */
export const AF_UNSPEC = 0;
export const AF_INET = 2;
export const AF_INET6 = 10;

/** `rtm_table`, include/uapi/linux/rtnetlink.h. */
export const RT_TABLE_UNSPEC = 0;
export const RT_TABLE_MAIN = 254;
export const RT_TABLE_LOCAL = 255;

/** `rtm_protocol`: who made a route or address. */
export const RTPROT_UNSPEC = 0;
export const RTPROT_KERNEL = 2;
export const RTPROT_BOOT = 3;
export const RTPROT_STATIC = 4;
export const RTPROT_RA = 9;

/** `rtm_scope`. */
export const RT_SCOPE_UNIVERSE = 0;
export const RT_SCOPE_SITE = 200;
export const RT_SCOPE_LINK = 253;
export const RT_SCOPE_HOST = 254;
export const RT_SCOPE_NOWHERE = 255;

/** `rtm_type`. */
export const RTN_UNICAST = 1;
export const RTN_LOCAL = 2;
export const RTN_BROADCAST = 3;
export const RTN_MULTICAST = 5;
export const RTN_BLACKHOLE = 6;
export const RTN_UNREACHABLE = 7;
export const RTN_PROHIBIT = 8;

/** A family number as netip counts, undefined for others (multicast routing, MPLS, bridge). */
export function familyOf(af: number): 4 | 6 | undefined {
  return af === AF_INET ? 4 : af === AF_INET6 ? 6 : undefined;
}

/** The family number of an IP version. */
export function afOf(family: 4 | 6): number {
  return family === 4 ? AF_INET : AF_INET6;
}
