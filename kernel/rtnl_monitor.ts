import { NETLINK_ROUTE, NLM_F_REPLACE } from "./netlink.ts";
import { NetlinkSubscription, type SubscriptionState } from "./netlink_subscription.ts";
import { EPOLLIN, type Reactor } from "./reactor.ts";
import { decodeAddress, type RtnlAddress } from "./rtnetlink/address.ts";
import { decodeLink, type RtnlLink } from "./rtnetlink/link.ts";
import * as rtm from "./rtnetlink/message.ts";
import { decodeRoute, type RtnlRoute } from "./rtnetlink/route.ts";

/** Multicast groups, `RTNLGRP_…` in include/uapi/linux/rtnetlink.h. */
export const RTNL_GROUPS = {
  "link": 1,
  "ipv4-ifaddr": 5,
  "ipv4-route": 7,
  "ipv6-ifaddr": 9,
  "ipv6-route": 11,
} as const;

/** A group of notifications. */
export type RtnlGroup = keyof typeof RTNL_GROUPS;

/** One notification: the object as it is now, or as it was when it went. */
export type RtnlChange =
  & {
    readonly deleted: boolean;
    /** A route that took the place of the one with the same destination, table and priority, which is not told to go. */
    readonly replaces: boolean;
  }
  & (
    | { readonly kind: "link"; readonly record: RtnlLink }
    | { readonly kind: "address"; readonly record: RtnlAddress }
    | { readonly kind: "route"; readonly record: RtnlRoute }
  );

/** What a monitor tells. */
export interface RtnlObserver {
  /** All that has happened since the last time, in order, never empty. */
  onChanges(changes: RtnlChange[]): void;
  /** Notifications were lost: only a new dump tells the truth. What was read with the loss is not delivered. */
  onResync(): void;
}

const DEFAULT_RECEIVE_BYTES = 32 * 1024 * 1024;

/**
 * Watches links, addresses and routes of the network namespace that the thread was in when this was made. Make it
 * before the first dump, so that nothing falls in between.
 */
export class RtnlMonitor implements Disposable {
  #undo = new DisposableStack();
  #subscription: NetlinkSubscription;
  #observer: RtnlObserver;

  /**
   * @param receiveBytes room for what is not read yet; a route change takes about 1 KiB of it
   * @throws {SyscallError}
   */
  constructor(
    reactor: Reactor,
    groups: readonly RtnlGroup[],
    observer: RtnlObserver,
    receiveBytes = DEFAULT_RECEIVE_BYTES,
  ) {
    this.#observer = observer;
    using undo = new DisposableStack();
    const numbers = groups.map((group) => RTNL_GROUPS[group]);
    this.#subscription = undo.use(new NetlinkSubscription(NETLINK_ROUTE, numbers, receiveBytes));
    undo.use(reactor.add(this.#subscription.fd, EPOLLIN, () => this.flush()));
    this.#undo = undo.move();
  }

  /** Delivers now what waits in the kernel; the reactor does the same as soon as the main thread is free. */
  flush(): void {
    const changes: RtnlChange[] = [];
    let state: SubscriptionState;
    try {
      state = this.#subscription.receive((type, flags, view, start, end) => {
        const change = decodeChange(type, flags, view, start, end);
        if (change !== undefined) changes.push(change);
      });
    } catch (error) {
      this.#observer.onResync(); // what was read with it is lost too
      throw error;
    }
    if (state === "overrun") this.#observer.onResync();
    else if (changes.length > 0) this.#observer.onChanges(changes);
  }

  [Symbol.dispose](): void {
    this.#undo[Symbol.dispose]();
  }
}

function decodeChange(type: number, flags: number, view: DataView, start: number, end: number): RtnlChange | undefined {
  const replaces = (flags & NLM_F_REPLACE) !== 0;
  switch (type) {
    case rtm.RTM_NEWROUTE:
    case rtm.RTM_DELROUTE: {
      const record = decodeRoute(view, start, end);
      return record && { kind: "route", deleted: type === rtm.RTM_DELROUTE, replaces, record };
    }
    case rtm.RTM_NEWADDR:
    case rtm.RTM_DELADDR: {
      const record = decodeAddress(view, start, end);
      return record && { kind: "address", deleted: type === rtm.RTM_DELADDR, replaces, record };
    }
    case rtm.RTM_NEWLINK:
    case rtm.RTM_DELLINK: {
      const record = decodeLink(view, start, end);
      return record && { kind: "link", deleted: type === rtm.RTM_DELLINK, replaces, record };
    }
    default:
      return undefined;
  }
}
