import { type Controller, defineController, exclusive, strong } from "../../mod/cosi/mod.ts";
import { RESOLVERS_ID, ResolverSpecs } from "../../resources/network/resolver_spec.ts";
import { RESOLVER_STATUS_ID, ResolverStatuses } from "../../resources/network/resolver_status.ts";

/** Makes the merged name servers those in use: whoever resolves names reads the status. */
export function resolverSpecController(): Controller {
  return defineController({
    name: "network.ResolverSpecController",
    inputs: [strong(ResolverSpecs, { id: RESOLVERS_ID })],
    outputs: [exclusive(ResolverStatuses)],
    async reconcile(r) {
      const wish = await r.get(ResolverSpecs, RESOLVERS_ID);
      if (wish === undefined || wish.metadata.phase !== "running") return;
      const { dnsServers, nameServers, searchDomains } = wish.spec;
      await r.modify(ResolverStatuses, RESOLVER_STATUS_ID, { dnsServers, nameServers, searchDomains });
    },
  });
}
