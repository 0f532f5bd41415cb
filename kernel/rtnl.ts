import { ENODEV } from "./errno.ts";
import { NETLINK_ROUTE, NetlinkError, type NetlinkRequest, NetlinkSocket } from "./netlink.ts";
import { PayloadWriter } from "./netlink_message.ts";
import { decodeAddress, ifaddrmsg, type RtnlAddress, type RtnlAddressRequest } from "./rtnetlink/address.ts";
import {
  decodeLink,
  encodeLink,
  ifinfomsg,
  IFLA_EXT_MASK,
  RTEXT_FILTER_SKIP_STATS,
  type RtnlLink,
  type RtnlLinkRequest,
} from "./rtnetlink/link.ts";
import { AF_INET, AF_INET6, RTM_GETADDR, RTM_GETLINK, RTM_GETROUTE } from "./rtnetlink/message.ts";
import {
  addAddressRequest,
  addLinkRequest,
  addRouteRequest,
  deleteAddressRequest,
  deleteLinkRequest,
  deleteRouteRequest,
  replaceAddressRequest,
  replaceRouteRequest,
  type RtnlNewLink,
  setLinkRequest,
} from "./rtnetlink/request.ts";
import { decodeRoute, rtmsg, type RtnlRoute, type RtnlRouteRequest } from "./rtnetlink/route.ts";

/**
 * Links, addresses and routes of the network namespace that the thread was in when this was made. Every call is
 * answered when it returns. The error of everything that changes is a {@link NetlinkError} with the kernel's text.
 */
export class RtnlConn implements Disposable {
  #socket = new NetlinkSocket(NETLINK_ROUTE);

  /** All links, without their counters. */
  links(): RtnlLink[] {
    const writer = new PayloadWriter();
    writer.header(ifinfomsg, {});
    writer.u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
    return this.#socket.dump(
      { type: RTM_GETLINK, flags: 0, payload: writer.finish(), verb: "list", thing: "links" },
      (_type, view, start, end) => decodeLink(view, start, end),
    );
  }

  /** One link, by index, name or alternative name; undefined if there is none. */
  link(link: number | string): RtnlLink | undefined {
    const writer = new PayloadWriter();
    writer.raw(encodeLink(typeof link === "number" ? { index: link } : { name: link }));
    writer.u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
    const request = { type: RTM_GETLINK, flags: 0, payload: writer.finish(), verb: "get link", thing: `"${link}"` };
    try {
      return this.#socket.request(request, (_type, view, start, end) => decodeLink(view, start, end))[0];
    } catch (error) {
      if (error instanceof NetlinkError && error.errno === ENODEV) return undefined;
      throw error;
    }
  }

  /** All addresses of both families. */
  addresses(): RtnlAddress[] {
    return this.#socket.dump(
      { type: RTM_GETADDR, flags: 0, payload: ifaddrmsg.encode({}), verb: "list", thing: "addresses" },
      (_type, view, start, end) => decodeAddress(view, start, end),
    );
  }

  /** All routes of all tables, of both families or one; the caches of single destinations are left out. */
  routes(family?: 4 | 6): RtnlRoute[] {
    if (family === undefined) return [...this.routes(4), ...this.routes(6)];
    const payload = rtmsg.encode({ family: family === 4 ? AF_INET : AF_INET6 });
    return this.#socket.dump(
      { type: RTM_GETROUTE, flags: 0, payload, verb: "list", thing: "routes" },
      (_type, view, start, end) => {
        const route = decodeRoute(view, start, end);
        return route?.family === family ? route : undefined; // a kernel without IPv6 answers with the routes of IPv4
      },
    );
  }

  /** Makes a link, e.g. `{ name: "a", kind: "veth", peer: { name: "b" } }`. @throws {NetlinkError} EEXIST, EOPNOTSUPP */
  addLink(link: RtnlNewLink): void {
    this.#do(addLinkRequest(link));
  }

  /**
   * Changes a link. With `netnsPid` or `netnsFd` it leaves for that namespace.
   *
   * @throws {NetlinkError} ENODEV, EBUSY, EINVAL
   */
  setLink(link: number | string, changes: Omit<RtnlLinkRequest, "index">): void {
    if (typeof link === "number") return this.#do(setLinkRequest({ ...changes, index: link }));
    if (changes.name === undefined) return this.#do(setLinkRequest({ ...changes, name: link }));
    const index = this.link(link)?.index;
    if (index === undefined) throw new NetlinkError("change link", ENODEV, `"${link}"`);
    this.#do(setLinkRequest({ ...changes, index }));
  }

  /** Deletes a link. @throws {NetlinkError} ENODEV, EOPNOTSUPP */
  deleteLink(link: number | string): void {
    this.#do(deleteLinkRequest(typeof link === "number" ? { index: link } : { name: link }));
  }

  /** @throws {NetlinkError} EEXIST, ENODEV */
  addAddress(address: RtnlAddressRequest): void {
    this.#do(addAddressRequest(address));
  }

  /** Adds an address, or changes flags, priority and lifetimes of the one there is. @throws {NetlinkError} ENODEV */
  replaceAddress(address: RtnlAddressRequest): void {
    this.#do(replaceAddressRequest(address));
  }

  /** @throws {NetlinkError} EADDRNOTAVAIL */
  deleteAddress(address: RtnlAddressRequest): void {
    this.#do(deleteAddressRequest(address));
  }

  /** @throws {NetlinkError} EEXIST, ENETUNREACH, EINVAL */
  addRoute(route: RtnlRouteRequest): void {
    this.#do(addRouteRequest(route));
  }

  /** Adds a route in the place of one with the same destination, table and priority. @throws {NetlinkError} */
  replaceRoute(route: RtnlRouteRequest): void {
    this.#do(replaceRouteRequest(route));
  }

  /** Deletes the first route that agrees with all fields given. @throws {NetlinkError} ESRCH */
  deleteRoute(route: RtnlRouteRequest): void {
    this.#do(deleteRouteRequest(route));
  }

  /** Many changes in few system calls, in order; each place of the result is that one's error, or undefined. */
  batch(requests: readonly NetlinkRequest[]): (NetlinkError | undefined)[] {
    return this.#socket.batch(requests);
  }

  #do(request: NetlinkRequest): void {
    this.#socket.request(request);
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]();
  }
}
