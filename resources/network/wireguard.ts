import { field, record } from "../../mod/schema/mod.ts";

/** One peer of a WireGuard link. */
export interface WireguardPeer {
  /** Base64 of 32 bytes. */
  publicKey: string;
  /** Base64 of 32 bytes, or empty. */
  presharedKey: string;
  /** `address:port`, or empty. */
  endpoint: string;
  /** Milliseconds; 0 is off. */
  persistentKeepaliveInterval: number;
  /** Prefixes that are reached through the peer. */
  allowedIPs: readonly string[];
}

/** Settings of a WireGuard link. */
export interface WireguardSpec {
  /** Base64 of 32 bytes; only in wishes. */
  privateKey: string;
  /** Base64 of 32 bytes; only in statuses. */
  publicKey: string;
  listenPort: number;
  firewallMark: number;
  peers: readonly WireguardPeer[];
}

const WIREGUARD_PEER = record<WireguardPeer>()({
  publicKey: field.string(1),
  presharedKey: field.string(2, { secret: true }),
  endpoint: field.string(3),
  persistentKeepaliveInterval: field.duration(4),
  allowedIPs: field.list(5, field.prefix()),
});

/** The fields of {@link WireguardSpec}. */
export const WIREGUARD = record<WireguardSpec>()({
  privateKey: field.string(1, { omitEmpty: true, secret: true }),
  publicKey: field.string(2, { omitEmpty: true }),
  listenPort: field.int64(3),
  firewallMark: field.int64(4),
  peers: field.list(5, field.record(0, WIREGUARD_PEER)),
});
