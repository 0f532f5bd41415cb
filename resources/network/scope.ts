/** Reach of an address or route: rtm_scope of linux/rtnetlink.h. */
export const SCOPES = { global: 0, site: 200, link: 253, host: 254, nowhere: 255 } as const;

/** A word of {@link SCOPES}. */
export type Scope = keyof typeof SCOPES;
