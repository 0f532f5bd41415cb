/** Address families; the numbers are AF_INET and AF_INET6 of linux/socket.h. */
export const FAMILIES = { inet4: 2, inet6: 10 } as const;

/** A word of {@link FAMILIES}. */
export type Family = keyof typeof FAMILIES;

/** The family of a canonical address or prefix. */
export function familyOf(text: string): Family {
  return text.includes(":") ? "inet6" : "inet4";
}
