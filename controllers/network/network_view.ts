import type { Reactor } from "../../kernel/reactor.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import { type RtnlChange, RtnlMonitor } from "../../kernel/rtnl_monitor.ts";
import type { RtnlAddress } from "../../kernel/rtnetlink/address.ts";
import { IFF_UP, type RtnlLink } from "../../kernel/rtnetlink/link.ts";
import { RTPROT_KERNEL } from "../../kernel/rtnetlink/message.ts";
import type { RtnlRoute } from "../../kernel/rtnetlink/route.ts";
import { ChangeFeed } from "./change_feed.ts";
import { RouteTable } from "./route_table.ts";

/** Dumps of the kernel. */
export type NetworkDumps = Pick<RtnlConn, "links" | "addresses" | "routes">;

/** The links of a network namespace, as planning needs them. */
export interface LinkView {
  /** By index. */
  link(index: number): RtnlLink | undefined;
  /** By kernel name, alternative name or alias. */
  linkNamed(name: string): RtnlLink | undefined;
  links(): Iterable<RtnlLink>;
}

/** The addresses of a network namespace, as planning needs them. */
export interface AddressView extends LinkView {
  address(linkIndex: number, prefix: string): RtnlAddress | undefined;
  /** The address of a prefix on a link, whatever its length. */
  sameAddress(linkIndex: number, prefix: string): RtnlAddress | undefined;
}

/** The routes of a network namespace, as planning needs them. */
export interface RouteView extends LinkView {
  /** To exactly this prefix; the default route's is `0.0.0.0/0` or `::/0`. */
  routesTo(destination: string): readonly RtnlRoute[];
}

/** Reads of the monitor before a dump; each takes some thousand notifications. */
const MAX_DRAINS = 64;

/** Key of an address in the `address` feed. */
export function addressKey({ linkIndex, prefix }: Pick<RtnlAddress, "linkIndex" | "prefix">): string {
  return `${linkIndex}/${prefix}`;
}

/**
 * What the kernel has, kept in memory by one monitor for all observers and appliers, so that a plan costs what it
 * wants and not what the kernel holds. Works in the namespace that the thread was in when it was made.
 */
export class NetworkView implements AddressView, RouteView, Disposable {
  /** Keys: index of the link. */
  readonly linkFeed = new ChangeFeed();
  /** Keys: {@link addressKey}. */
  readonly addressFeed = new ChangeFeed();
  /** Keys: destination. */
  readonly routeFeed = new ChangeFeed();
  #monitor: RtnlMonitor;
  #dumps: NetworkDumps;
  #links = new Map<number, RtnlLink>();
  #indexByName: Map<string, number> | undefined;
  #addresses = new Map<string, RtnlAddress>();
  /** IPv4 addresses by link index. */
  #ipv4Counts = new Map<number, number>();
  #routes = new RouteTable();
  /** Sources that routes of ours and others ask for: when such an address goes, they go without a word. */
  #sources = new Set<string>();
  /** Indexes that addresses and routes name, and of which nothing else is known yet. */
  #awaited = new Set<number>();
  #isDraining = false;
  #hasDrained = false;
  #losses = 0;

  /** @param receiveBytes room for notifications that are not read yet @throws {SyscallError} */
  constructor(reactor: Reactor, dumps: NetworkDumps, receiveBytes?: number) {
    this.#dumps = dumps;
    this.#monitor = new RtnlMonitor(
      reactor,
      ["link", "ipv4-ifaddr", "ipv6-ifaddr", "ipv4-route", "ipv6-route"],
      { onChanges: (changes) => this.#take(changes), onResync: () => this.#resync() },
      receiveBytes,
    );
    this.#dump();
  }

  /** How often notifications were lost, and everything was asked for again. */
  get losses(): number {
    return this.#losses;
  }

  /** Takes in what the kernel has told so far, own changes included. */
  refresh(): void {
    this.#monitor.flush();
  }

  link(index: number): RtnlLink | undefined {
    return this.#links.get(index);
  }

  links(): Iterable<RtnlLink> {
    return this.#links.values();
  }

  linkNamed(name: string): RtnlLink | undefined {
    this.#indexByName ??= new Map([...namesOf(this.#links.values())]);
    const index = this.#indexByName.get(name);
    return index === undefined ? undefined : this.#links.get(index);
  }

  address(linkIndex: number, prefix: string): RtnlAddress | undefined {
    return this.#addresses.get(addressKey({ linkIndex, prefix }));
  }

  sameAddress(linkIndex: number, prefix: string): RtnlAddress | undefined {
    const start = addressKey({ linkIndex, prefix: prefix.slice(0, prefix.indexOf("/") + 1) });
    for (const [key, address] of this.#addresses) if (key.startsWith(start)) return address;
    return undefined;
  }

  /** One address by its key. */
  addressAt(key: string): RtnlAddress | undefined {
    return this.#addresses.get(key);
  }

  /** All addresses with their keys. */
  addresses(): Iterable<[key: string, address: RtnlAddress]> {
    return this.#addresses.entries();
  }

  routesTo(destination: string): readonly RtnlRoute[] {
    return this.#routes.to(destination);
  }

  /** All destinations with their routes. */
  routes(): Iterable<[destination: string, routes: readonly RtnlRoute[]]> {
    return this.#routes.entries();
  }

  [Symbol.dispose](): void {
    this.#monitor[Symbol.dispose]();
  }

  #take(changes: readonly RtnlChange[]): void {
    this.#hasDrained = true;
    if (this.#isDraining) return;
    let isClear = true;
    for (const change of changes) {
      if (change.kind === "route") isClear = this.#takeRoute(change) && isClear;
      else if (change.kind === "address") isClear = this.#takeAddress(change) && isClear;
      else isClear = this.#takeLink(change) && isClear;
    }
    if (!isClear) this.#dumpRoutes();
    this.#publish();
  }

  #takeRoute(change: RtnlChange & { kind: "route" }): boolean {
    if (!change.deleted) this.#noteRoute(change.record);
    this.routeFeed.add(change.record.destination);
    return this.#routes.apply(change);
  }

  #takeAddress({ record, deleted }: RtnlChange & { kind: "address" }): boolean {
    const key = addressKey(record);
    this.addressFeed.add(key);
    if (!deleted) {
      if (!this.#addresses.has(key)) this.#count(record, 1);
      this.#noteLink(record.linkIndex);
      this.#addresses.set(key, record);
      return true;
    }
    if (this.#addresses.delete(key)) this.#count(record, -1);
    // with the last IPv4 address of a link all its routes go without a word
    const isLast = record.family === 4 && !this.#ipv4Counts.get(record.linkIndex);
    return !isLast && !this.#sources.has(record.prefix.slice(0, record.prefix.indexOf("/")));
  }

  #takeLink({ record, deleted }: RtnlChange & { kind: "link" }): boolean {
    const { index } = record;
    const old = this.#links.get(index);
    this.#indexByName = undefined;
    this.linkFeed.add(String(index));
    if (deleted) this.#links.delete(index);
    else {
      this.#links.set(index, record);
      this.#linkPeer(record);
    }
    const isAwaited = this.#awaited.delete(index), isRenamed = old !== undefined && old.name !== record.name;
    // the other end of a veth shows its name
    if (record.linkIndex !== 0 && (deleted || isRenamed || old === undefined)) {
      this.linkFeed.add(String(record.linkIndex));
    }
    if (isRenamed || isAwaited) { // ids carry it
      this.addressFeed.addAll();
      this.routeFeed.addAll();
    }
    if (old === undefined) return true;
    // IPv4 routes go without a word when their link goes down, those of IPv6 get its new MTU
    const isDown = (old.flags & IFF_UP) !== 0 && (deleted || (record.flags & IFF_UP) === 0);
    return !isDown && (deleted || old.mtu === record.mtu);
  }

  /** The first end of a veth is told before there is a second, and not again. */
  #linkPeer({ index, kind, linkIndex, linkNetnsId }: RtnlLink): void {
    const peer = kind === "veth" && linkNetnsId < 0 ? this.#links.get(linkIndex) : undefined;
    if (peer?.kind === "veth" && peer.linkIndex === 0) this.#links.set(peer.index, { ...peer, linkIndex: index });
  }

  #count({ family, linkIndex }: RtnlAddress, change: 1 | -1): void {
    if (family === 4) this.#ipv4Counts.set(linkIndex, (this.#ipv4Counts.get(linkIndex) ?? 0) + change);
  }

  #noteLink(index: number): void {
    if (index !== 0 && !this.#links.has(index)) this.#awaited.add(index);
  }

  #noteRoute(route: RtnlRoute): void {
    this.#noteLink(route.outLinkIndex);
    for (const { linkIndex } of route.nextHops) this.#noteLink(linkIndex);
    if (route.preferredSource !== "" && route.protocol !== RTPROT_KERNEL) this.#sources.add(route.preferredSource);
  }

  /** What waits in the kernel is older than the dump, and with gaps: it is thrown away first. */
  #resync(): void {
    this.#hasDrained = true;
    if (this.#isDraining) return;
    this.#losses++;
    this.#isDraining = true;
    try {
      this.#hasDrained = true;
      // whoever writes faster than this reads makes the next loss, and with it the next dump, certain
      for (let round = 0; round < MAX_DRAINS && this.#hasDrained; round++) {
        this.#hasDrained = false;
        this.#monitor.flush();
      }
    } finally {
      this.#isDraining = false;
    }
    this.#dump();
  }

  #dump(): void {
    this.#links = new Map(this.#dumps.links().map((link) => [link.index, link]));
    this.#indexByName = undefined;
    this.#addresses = new Map(this.#dumps.addresses().map((address) => [addressKey(address), address]));
    this.#ipv4Counts.clear();
    this.#awaited.clear();
    for (const address of this.#addresses.values()) {
      this.#count(address, 1);
      this.#noteLink(address.linkIndex);
    }
    this.linkFeed.addAll();
    this.addressFeed.addAll();
    this.#dumpRoutes();
    this.#publish();
  }

  #dumpRoutes(): void {
    const routes = this.#dumps.routes();
    this.#sources.clear();
    for (const route of routes) this.#noteRoute(route);
    this.#routes = new RouteTable(routes);
    this.routeFeed.addAll();
  }

  #publish(): void {
    this.linkFeed.publish();
    this.addressFeed.publish();
    this.routeFeed.publish();
  }
}

function* namesOf(links: Iterable<RtnlLink>): Generator<[name: string, index: number]> {
  const all = [...links];
  // a kernel name is unique and wins over what others are called besides
  for (const { alias, index } of all) if (alias !== "") yield [alias, index];
  for (const { altNames, index } of all) for (const name of altNames) yield [name, index];
  for (const { name, index } of all) yield [name, index];
}
