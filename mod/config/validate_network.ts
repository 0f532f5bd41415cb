import { addressFamily } from "../netip/mod.ts";
import { LINK_CEL } from "./cel_environments.ts";
import {
  checkAddress,
  checkAddressesOnce,
  checkBase64,
  checkExpression,
  checkHostname,
  checkHostPort,
  checkLinkReference,
  checkNewLinkName,
  checkPrefix,
  checkSearchDomain,
  checkUrl,
  isHostPort,
} from "./forms.ts";
import type { Place } from "./place.ts";

const KEY_BYTES = 32;
const MIN_KUBESPAN_MTU = 1280;

/** Routes and addresses of a link: what would silently do something else. */
function checkLink(link: Place): void {
  checkAddressesOnce(link.at("addresses").items.map((item) => item.at("address")));
  for (const route of link.at("routes").items) {
    const [destination, gateway, source] = ["destination", "gateway", "source"].map((name) => route.at(name));
    if (destination?.text === "" && gateway?.text === "") {
      route.warn("neither destination nor gateway: a default route straight out of the link");
    }
    const families = [destination, gateway, source].flatMap((place) => place === undefined ? [] : familyOf(place));
    if (new Set(families).size > 1) route.error("destination, gateway and source are of different families");
  }
}

function familyOf(place: Place): (4 | 6)[] {
  return place.text === "" ? [] : [addressFamily(place.text.split("/", 1)[0] ?? "")];
}

function newLink(link: Place): void {
  checkNewLinkName(link.at("name"));
  checkLink(link);
}

function checkBond(bond: Place): void {
  newLink(bond);
  bond.at("bondMode").require();
  bond.at("links").require();
  const mode = bond.at("bondMode").text;
  const miimon = bond.at("miimon").number ?? 0;
  if (miimon > 0 && (bond.at("arpInterval").number ?? 0) > 0) {
    bond.at("arpInterval").warn("a bond is watched by miimon or by ARP; the kernel turns one of them off");
  }
  if (mode !== "802.3ad" && bond.at("lacpRate").isSet) bond.at("lacpRate").warn("only bonds of mode 802.3ad use it");
  for (const name of ["updelay", "downdelay"]) {
    const delay = bond.at(name);
    if (mode === "802.3ad" && !delay.isSet) bond.warn(`${name} is not set, as a bond of mode 802.3ad should have it`);
    if (miimon > 0 && (delay.number ?? 0) % miimon !== 0) delay.warn("rounded down to a multiple of miimon");
  }
}

function checkWireguard(link: Place): void {
  newLink(link);
  checkBase64(link.at("privateKey"), KEY_BYTES);
  for (const peer of link.at("peers").items) {
    checkBase64(peer.at("publicKey"), KEY_BYTES);
    checkBase64(peer.at("presharedKey"), KEY_BYTES);
    checkHostPort(peer.at("endpoint"));
  }
}

function checkRule(rule: Place): void {
  const selector = rule.at("portSelector");
  if (!["icmp", "icmpv6"].includes(selector.at("protocol").text)) selector.at("ports").require();
  const taken: { text: string; low: number; high: number }[] = [];
  for (const port of selector.at("ports").items) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(port.text);
    const low = Number(match?.[1]), high = Number(match?.[2] ?? match?.[1]);
    if (match === null || low > high || high > 65_535) {
      port.error(`expected a port or a range such as 100-200, found "${port.text}"`);
      continue;
    }
    const other = taken.find((range) => low <= range.high && range.low <= high);
    if (other === undefined) taken.push({ text: port.text, low, high });
    else port.error(`${port.text} overlaps with ${other.text}`);
  }
}

function checkDhcp(dhcp: Place): void {
  checkLinkReference(dhcp.at("name"));
  if (dhcp.at("clientIdentifier").text === "duid") dhcp.at("duidRaw").require();
}

function checkVip(vip: Place): void {
  checkAddress(vip.at("name"));
  checkLinkReference(vip.at("link"));
}

function checkHostnameDocument(document: Place): void {
  const auto = document.at("auto"), hostname = document.at("hostname");
  if (auto.text === "stable" && hostname.text !== "") hostname.error("auto is set too; set one of the two");
  else if (!auto.isSet && hostname.text === "") document.error("neither auto nor hostname is set");
  if (hostname.text !== "") checkHostname(hostname);
}

/** Checks of documents about the network, by kind. */
export const NETWORK_CHECKS: Readonly<Record<string, (document: Place) => void>> = {
  HostnameConfig: checkHostnameDocument,
  ResolverConfig(resolver) {
    for (const domain of resolver.at("searchDomains", "domains").items) checkSearchDomain(domain);
  },
  LinkConfig(link) {
    checkLinkReference(link.at("name"));
    checkLink(link);
  },
  DummyLinkConfig: newLink,
  BridgeConfig: newLink,
  BondConfig: checkBond,
  WireguardConfig: checkWireguard,
  VLANConfig(link) {
    newLink(link);
    checkLinkReference(link.at("parent"));
    const { number = 0 } = link.at("vlanID");
    if (number > 4094) link.at("vlanID").error(`expected a number from 1 to 4094, found ${number}`);
  },
  VRFConfig(link) {
    newLink(link);
    link.at("table").require();
  },
  VethConfig(link) {
    newLink(link);
    if (!link.at("peer").require()) return;
    checkNewLinkName(link.at("peer", "name"));
    checkLink(link.at("peer"));
    if (link.at("peer", "name").text === link.at("name").text) {
      link.at("peer", "name").error("both ends have the same name");
    }
  },
  LinkAliasConfig(alias) {
    if (alias.at("selector", "match").require()) checkExpression(alias.at("selector", "match"), LINK_CEL);
  },
  DHCPv4Config: checkDhcp,
  DHCPv6Config: checkDhcp,
  Layer2VIPConfig: checkVip,
  HCloudVIPConfig: checkVip,
  BlackholeRouteConfig: (route) => checkPrefix(route.at("name")),
  RoutingRuleConfig(rule) {
    if (!/^\d{1,10}$/.test(rule.at("name").text)) {
      rule.at("name").error("the name of a routing rule is its priority, a number");
    }
    if (!rule.at("table").isSet && ["", "unicast"].includes(rule.at("action").text)) {
      rule.error("neither a table nor an action other than unicast is set");
    }
  },
  NetworkRuleConfig: checkRule,
  StaticHostConfig(host) {
    checkAddress(host.at("name"));
    host.at("hostnames").require();
    for (const name of host.at("hostnames").items) checkHostname(name);
  },
  TCPProbeConfig(probe) {
    const endpoint = probe.at("endpoint");
    if (endpoint.text !== "" && !isHostPort(endpoint.text)) {
      endpoint.error("expected a host and a port such as 10.0.0.1:443: a probe without port never succeeds");
    }
  },
  HTTPProbeConfig: (probe) => checkUrl(probe.at("url"), "http", "https"),
  KubeSpanConfig(kubespan) {
    const { number } = kubespan.at("mtu");
    if (number !== undefined && number < MIN_KUBESPAN_MTU) {
      kubespan.at("mtu").error(`expected at least ${MIN_KUBESPAN_MTU}, found ${number}`);
    }
  },
  KubeSpanEndpointsConfig(endpoints) {
    for (const endpoint of endpoints.at("extraAnnouncedEndpoints").items) checkHostPort(endpoint);
  },
  BGPInstanceConfig(instance) {
    for (const neighbor of instance.at("neighbors").items) {
      if (neighbor.at("address").text === "" && neighbor.at("link").text === "") {
        neighbor.error("neither address nor link is set");
      }
    }
  },
};
