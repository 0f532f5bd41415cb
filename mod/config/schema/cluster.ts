import { keys, required, untyped } from "./keys.ts";

/** Who this cluster is for discovery: 32 bytes each in base64. */
export interface DiscoveryIdentityConfig {
  readonly clusterID: string;
  readonly clusterSecret: string;
}

/** Discovery of the cluster's members, by kind. */
export const CLUSTER_KINDS = {
  DiscoveryIdentityConfig: keys<DiscoveryIdentityConfig>()({
    clusterID: required.text,
    clusterSecret: required.secret,
  }),
  DiscoveryServiceConfig: untyped({ name: required.text, endpoint: required.text }),
};
