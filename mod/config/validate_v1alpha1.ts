import { addressFamily } from "../netip/mod.ts";
import {
  checkAddress,
  checkAddressesOnce,
  checkHostname,
  checkLinkReference,
  checkNewLinkName,
  checkPrefix,
  checkSearchDomain,
  checkUrl,
  isAddress,
  isPrefix,
} from "./forms.ts";
import type { Place } from "./place.ts";
import { checkLabels, checkParameters } from "./validate_services.ts";

/** Checks of the document without a kind. */
export function checkV1Alpha1(document: Place): void {
  const machine = document.at("machine");
  machine.require();
  if (machine.isSet) checkMachine(machine);
  const endpoint = document.at("cluster", "controlPlane", "endpoint");
  checkUrl(endpoint, "https");
  const network = document.at("cluster", "network");
  for (const name of ["podSubnets", "serviceSubnets"]) for (const subnet of network.at(name).items) checkPrefix(subnet);
}

function checkMachine(machine: Place): void {
  const type = machine.at("type");
  if (type.require() && type.text === "init") {
    type.warn(`"init" is an old word for the first "controlplane" machine; it is treated as one`);
  }
  machine.at("ca", "crt").require();
  if (type.text !== "worker") machine.at("ca", "key").require();
  machine.at("certSANs").items.forEach(checkCertSan);
  checkParameters(machine.at("sysctls"));
  checkParameters(machine.at("sysfs"));
  checkLabels(machine.at("nodeLabels"));
  checkNetwork(machine.at("network"));
}

/** A certificate with a name that is not ASCII is refused by clients as a whole. @see RFC 5280 section 4.2.1.6 */
function checkCertSan(san: Place): void {
  if (!/^[!-~]+$/.test(san.text)) san.error(`expected a DNS name or an IP address, found ${JSON.stringify(san.text)}`);
}

function checkNetwork(network: Place): void {
  if (network.at("hostname").text !== "") checkHostname(network.at("hostname"));
  for (const nameserver of network.at("nameservers").items) checkAddress(nameserver);
  for (const domain of network.at("searchDomains").items) checkSearchDomain(domain);
  for (const host of network.at("extraHostEntries").items) {
    if (host.at("ip").text !== "") checkAddress(host.at("ip"));
    host.at("aliases").require();
    for (const alias of host.at("aliases").items) checkHostname(alias);
  }
  for (const link of network.at("interfaces").items) checkInterface(link);
}

function checkInterface(link: Place): void {
  const name = link.at("interface"), selector = link.at("deviceSelector");
  if (name.text === "" && !selector.isSet) link.error("neither interface nor deviceSelector is set");
  if (name.text !== "" && selector.isSet) selector.error("interface is set too; set one of the two");
  if (["dummy", "bond", "bridge", "wireguard"].some((kind) => link.at(kind).isSet && link.at(kind).value !== false)) {
    checkNewLinkName(name);
  } else checkLinkReference(name);
  for (const address of link.at("addresses").items) {
    if (!isPrefix(address.text) && !isAddress(address.text)) {
      address.error(`expected a CIDR prefix such as 10.0.0.5/24, found "${address.text}"`);
    }
  }
  checkAddressesOnce(link.at("addresses").items);
  for (const route of link.at("routes").items) checkRoute(route);
}

function checkRoute(route: Place): void {
  const network = route.at("network");
  if (network.text !== "") checkPrefix(network);
  const others = [route.at("gateway"), route.at("source")].filter(({ text }) => text !== "");
  for (const address of others) checkAddress(address);
  if (network.text === "" && others.length === 0) route.error("neither network nor gateway is set");
  const texts = [network.text.split("/", 1)[0] ?? "", ...others.map(({ text }) => text)];
  const families = new Set(texts.filter(isAddress).map(addressFamily));
  if (families.size > 1) route.error("network, gateway and source are of different families");
}
