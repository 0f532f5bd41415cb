import { type Controller, defineController, shared, weak } from "../../mod/cosi/mod.ts";
import { compareAddresses, parsePrefix } from "../../mod/netip/mod.ts";
import { HOSTNAME_STATUS_ID, type HostnameStatus, HostnameStatuses } from "../../resources/network/hostname_status.ts";
import { ACCUMULATIVE_NODE_ADDRESS_ID, NodeAddresses } from "../../resources/network/node_address.ts";
import { API_CERT_SAN_ID, type CertSAN, CertSANs } from "../../resources/secrets/cert_san.ts";
import { OS_ROOT_SECRET_ID, type OSRootSecret, OSRootSecrets } from "../../resources/secrets/os_root_secret.ts";

/** The names and addresses for which the machine API's certificate must be valid: follows addresses and hostname. */
export function apiCertSansController(): Controller {
  return defineController({
    name: "secrets.APICertSANsController",
    inputs: [
      weak(OSRootSecrets, { id: OS_ROOT_SECRET_ID }),
      weak(HostnameStatuses, { id: HOSTNAME_STATUS_ID }),
      weak(NodeAddresses, { id: ACCUMULATIVE_NODE_ADDRESS_ID }),
    ],
    outputs: [shared(CertSANs)],
    async reconcile(r) {
      const root = await r.get(OSRootSecrets, OS_ROOT_SECRET_ID);
      const hostname = await r.get(HostnameStatuses, HOSTNAME_STATUS_ID);
      const addresses = await r.get(NodeAddresses, ACCUMULATIVE_NODE_ADDRESS_ID);
      if (root === undefined) return await r.sync(CertSANs, []);
      const spec = apiCertSan(root.spec, hostname?.spec, addresses?.spec.addresses ?? []);
      await r.sync(CertSANs, [{ id: API_CERT_SAN_ID, spec }]);
    },
  });
}

/** Pure. Loopback is always in: the node's own clients use it. */
export function apiCertSan(
  root: Pick<OSRootSecret, "certSANIPs" | "certSANDNSNames">,
  hostname: HostnameStatus | undefined,
  prefixes: readonly string[],
): CertSAN {
  const own = prefixes.map((prefix) => parsePrefix(prefix).address);
  const ips = new Set([...root.certSANIPs, ...own, "127.0.0.1", "::1"]);
  const short = hostname?.hostname ?? "";
  const fqdn = hostname?.domainname ? `${short}.${hostname.domainname}` : short;
  const names = new Set([...root.certSANDNSNames, short, fqdn, "localhost"].filter((name) => name !== ""));
  return { ips: [...ips].sort(compareAddresses), dnsNames: [...names].sort(), fqdn };
}
