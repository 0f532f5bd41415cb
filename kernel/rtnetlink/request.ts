import { type NetlinkRequest, NLM_F_APPEND, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from "../netlink.ts";
import { encodeAddress, type RtnlAddressRequest } from "./address.ts";
import { encodeLink, type RtnlLinkRequest } from "./link.ts";
import type { RtnlLinkKind } from "./link_info.ts";
import * as rtm from "./message.ts";
import { encodeRoute, type RtnlRouteRequest } from "./route.ts";

const RTNH_F_ONLINK = 4;

/** A link to be made: what it is and how it starts. A veth cannot start up (ENOTCONN): set that afterwards. */
export type RtnlNewLink = RtnlLinkRequest & RtnlLinkKind & { readonly name: string };

/** Makes a link. Kernel: EEXIST, EOPNOTSUPP if it lacks the kind. */
export function addLinkRequest(link: RtnlNewLink): NetlinkRequest {
  const payload = encodeLink(link, link);
  return { type: rtm.RTM_NEWLINK, flags: CREATE, payload, verb: "add link", thing: quote(link.name) };
}

/** Changes a link; found by `index`, or by `name` if that is left out. Kernel: ENODEV, EBUSY. */
export function setLinkRequest(link: RtnlLinkRequest): NetlinkRequest {
  return { type: rtm.RTM_NEWLINK, flags: 0, payload: encodeLink(link), verb: "change link", thing: linkText(link) };
}

/** Deletes a link; found by `index`, or by `name`. Kernel: ENODEV, EOPNOTSUPP for hardware. */
export function deleteLinkRequest(link: { readonly index?: number; readonly name?: string }): NetlinkRequest {
  return { type: rtm.RTM_DELLINK, flags: 0, payload: encodeLink(link), verb: "delete link", thing: linkText(link) };
}

/** Adds an address. Kernel: EEXIST, ENODEV. */
export function addAddressRequest(address: RtnlAddressRequest): NetlinkRequest {
  return addressRequest(rtm.RTM_NEWADDR, CREATE, "add address", address);
}

/** Adds an address, or changes flags, priority and lifetimes of the one there is. */
export function replaceAddressRequest(address: RtnlAddressRequest): NetlinkRequest {
  return addressRequest(rtm.RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, "replace address", address);
}

/** Deletes an address. Kernel: EADDRNOTAVAIL. */
export function deleteAddressRequest(address: RtnlAddressRequest): NetlinkRequest {
  return addressRequest(rtm.RTM_DELADDR, 0, "delete address", address);
}

/** Adds a route. Kernel: EEXIST, ENETUNREACH, EINVAL. */
export function addRouteRequest(route: RtnlRouteRequest): NetlinkRequest {
  return routeRequest(rtm.RTM_NEWROUTE, CREATE, "add route", route);
}

/**
 * Adds a route behind those with the same destination, table and metric, which {@link addRouteRequest} would refuse.
 * IPv6 joins the ways to one route with several. Kernel: EEXIST if there is such a way, ENETUNREACH, EINVAL.
 */
export function appendRouteRequest(route: RtnlRouteRequest): NetlinkRequest {
  return routeRequest(rtm.RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND, "add route", route);
}

/** Adds a route in the place of one with the same destination, table, priority and TOS. */
export function replaceRouteRequest(route: RtnlRouteRequest): NetlinkRequest {
  return routeRequest(rtm.RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, "replace route", route);
}

/** Deletes the first route that agrees with all fields that are given. Kernel: ESRCH. */
export function deleteRouteRequest(route: RtnlRouteRequest): NetlinkRequest {
  const { protocol = rtm.RTPROT_UNSPEC, scope = rtm.RT_SCOPE_NOWHERE, type = 0 } = route;
  return routeRequest(rtm.RTM_DELROUTE, 0, "delete route", { ...route, protocol, scope, type, flags: 0 });
}

const CREATE = NLM_F_CREATE | NLM_F_EXCL;

/** Unknown attributes of a record are the kernel's own notes (lifetimes, hardware state), which it refuses to be told. */
function addressRequest(type: number, flags: number, verb: string, address: RtnlAddressRequest): NetlinkRequest {
  const payload = encodeAddress({ ...address, unknown: [] });
  return { type, flags, payload, verb, thing: quote(address.prefix) };
}

function routeRequest(type: number, flags: number, verb: string, route: RtnlRouteRequest): NetlinkRequest {
  const nextHops = (route.nextHops ?? []).map((hop) => ({ ...hop, flags: hop.flags & RTNH_F_ONLINK }));
  const payload = encodeRoute({ ...route, flags: (route.flags ?? 0) & RTNH_F_ONLINK, nextHops, unknown: [] });
  return { type, flags, payload, verb, thing: quote(route.destination) };
}

function linkText({ index = 0, name }: { readonly index?: number; readonly name?: string }): string {
  return index === 0 ? quote(name ?? "") : String(index);
}

function quote(text: string): string {
  return `"${text}"`;
}
