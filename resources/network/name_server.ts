import { field, record } from "../../mod/schema/mod.ts";

/** How a name server is asked: plain, over TLS (RFC 7858), over HTTPS (RFC 8484). */
export const DNS_PROTOCOLS = { Do53: 0, DoT: 1, DoH: 2 } as const;

/** A server that resolves names. */
export interface NameServer {
  addr: string;
  protocol: keyof typeof DNS_PROTOCOLS;
  /** Name that its certificate must have; empty for plain DNS. */
  tlsServerName: string;
}

/** The fields of {@link NameServer}. */
export const NAME_SERVER = record<NameServer>()({
  addr: field.ip(1),
  protocol: field.oneOf(2, DNS_PROTOCOLS),
  tlsServerName: field.string(3),
});
