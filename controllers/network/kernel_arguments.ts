import { hostnameProblem } from "../../mod/config/mod.ts";
import { addressFamily, isAddress, parseAddress, parsePrefix } from "../../mod/netip/mod.ts";

/** What `ip=` says about one link. */
export interface IpArgument {
  /** Place among the `ip=` arguments, from 0. */
  readonly index: number;
  /** Empty means the first link that is not a loopback, by name. */
  readonly linkName: string;
  /** CIDR text, or undefined when the address comes by DHCP. */
  readonly address: string | undefined;
  /** Empty for none. */
  readonly gateway: string;
  readonly hostname: string;
  readonly dnsServers: readonly string[];
  readonly timeServers: readonly string[];
}

/** What the kernel command line says about the network. */
export interface NetworkArguments {
  readonly links: readonly IpArgument[];
  /** Of `talos.hostname=`, else of `ip=`; empty for none. */
  readonly hostname: string;
  /** Which argument `hostname` is from. */
  readonly hostnameSource: string;
  /** Links of `talos.network.interface.ignore=`. */
  readonly ignoredLinks: ReadonlySet<string>;
  /** What was left out and why, one text each. */
  readonly notes: readonly string[];
}

/** Words of the `autoconf` part that do not ask for DHCP. */
const STATIC = new Set(["", "off", "none"]);
const DYNAMIC = new Set(["dhcp", "on", "any", "dhcp4"]);

/**
 * Reads `ip=`, `talos.hostname=` and `talos.network.interface.ignore=`. An argument that makes no sense becomes a note,
 * because a machine must start whatever its command line says.
 * @see Documentation/admin-guide/nfs/nfsroot.rst of the kernel
 */
export function parseNetworkArguments(cmdline: string): NetworkArguments {
  const links: IpArgument[] = [];
  const ignoredLinks = new Set<string>();
  const notes: string[] = [];
  let hostname = "";
  for (const [name, value] of splitArguments(cmdline)) {
    if (name === "talos.hostname") hostname = usableName(value, name, notes);
    else if (name === "talos.network.interface.ignore") ignoredLinks.add(value);
    else if (name === "ip") {
      try {
        const link = parseIp(value, links.length);
        if (link === undefined) notes.push(`kernel argument ip=${value} names no link and no address: it is ignored`);
        else links.push({ ...link, hostname: usableName(link.hostname, name, notes) });
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        notes.push(`kernel argument ip=${value} is ignored: ${error.message}`);
      }
    }
  }
  const named = links.find((link) => link.hostname !== "");
  const [name, source] = hostname !== ""
    ? [hostname, "kernel argument talos.hostname="]
    : [named?.hostname ?? "", "kernel argument ip="];
  return { links, hostname: name, hostnameSource: source, ignoredLinks, notes };
}

/** The name, or nothing and a note when the kernel or others could not use it. */
function usableName(name: string, argument: string, notes: string[]): string {
  const problem = name === "" ? undefined : hostnameProblem(name);
  if (problem === undefined) return name;
  notes.push(`the name of kernel argument ${argument}= is ignored: ${problem}`);
  return "";
}

/** Arguments in order; a value may be quoted, everything after ` -- ` is for init. */
function* splitArguments(cmdline: string): Generator<[name: string, value: string]> {
  for (const [word] of cmdline.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    if (word === "--") return;
    const text = word.replaceAll('"', "");
    const equals = text.indexOf("=");
    yield equals < 0 ? [text, ""] : [text.slice(0, equals), text.slice(equals + 1)];
  }
}

/** Splits at colons outside of brackets and takes the brackets of IPv6 addresses off. */
function splitFields(value: string): string[] {
  const fields = value.match(/(?<=^|:)(?:\[[^\]]*\]|[^:[\]]*)(?=:|$)/g);
  if (fields === null || fields.join(":").length !== value.length) {
    throw new SyntaxError("its brackets do not close an IPv6 address");
  }
  return fields.map((field) => field.replace(/^\[(.*)\]$/, "$1"));
}

/** Undefined when nothing is said about a particular link. */
function parseIp(value: string, index: number): IpArgument | undefined {
  const fields = splitFields(value);
  const none = { index, gateway: "", hostname: "", dnsServers: [], timeServers: [] };
  if (fields.length === 1 && !isAddress(fields[0] ?? "")) {
    if (DYNAMIC.has(value) || STATIC.has(value)) return undefined;
    throw new SyntaxError("it is neither an address nor a way of configuration");
  }
  if (fields.length === 2 && DYNAMIC.has(fields[1] ?? "")) {
    return { ...none, linkName: fields[0] ?? "", address: undefined };
  }
  const [client = "", , gateway = "", mask = "", hostname = "", linkName = "", autoconf = "", ...servers] = fields;
  if (client === "" && !STATIC.has(autoconf)) {
    return { ...none, linkName, hostname, address: undefined };
  }
  const dnsServers = [servers[0] ?? "", servers[1] ?? ""].filter((server) => server !== "");
  for (const address of [client, gateway, ...dnsServers]) if (address !== "") parseAddress(address);
  if (client === "") throw new SyntaxError("it has no address");
  const timeServers = [servers[2] ?? ""].filter((server) => server !== "");
  return {
    index,
    linkName,
    address: `${client}/${maskBits(client, mask)}`,
    gateway,
    hostname,
    dnsServers,
    timeServers,
  };
}

/** Length of a dotted mask or of a number; none means the address alone. */
function maskBits(client: string, mask: string): number {
  const longest = addressFamily(client) === 4 ? 32 : 128;
  if (mask === "") return longest;
  if (/^[0-9]+$/.test(mask)) return parsePrefix(`${client}/${mask}`).bits;
  let bits = 0;
  let isEnded = false;
  for (const octet of parseAddress(mask)) {
    for (let bit = 0x80; bit > 0; bit >>= 1) {
      if ((octet & bit) === 0) isEnded = true;
      else if (isEnded) throw new SyntaxError(`"${mask}" is no network mask`);
      else bits++;
    }
  }
  return bits;
}

/** A link that is there. */
export interface PresentLink {
  readonly name: string;
  /** A network card, and not made by software. */
  readonly isCard: boolean;
}

/**
 * The arguments with every link named; those whose link does not exist yet, or is to be ignored, are left out. No name
 * means the first card by name, or the first link where there are no cards: a bridge that comes up later must not take
 * the machine's address away.
 * @param present without loopback
 */
export function linksOf(arguments_: NetworkArguments, present: readonly PresentLink[]): readonly IpArgument[] {
  const { links, ignoredLinks } = arguments_;
  const usable = present.filter(({ name }) => !ignoredLinks.has(name));
  const cards = usable.filter(({ isCard }) => isCard);
  const [first] = (cards.length > 0 ? cards : usable).map(({ name }) => name).sort();
  return links.flatMap((link) => {
    const linkName = link.linkName === "" ? first : link.linkName;
    return linkName === undefined || ignoredLinks.has(linkName) ? [] : [{ ...link, linkName }];
  });
}
