import { key, PEM_PAIR, required, untyped } from "./keys.ts";

/** Containers' runtime and registries, by kind. */
export const CRI_KINDS = {
  RegistryMirrorConfig: untyped({
    name: required.text,
    endpoints: key.records(untyped({ url: required.text, overridePath: key.flag })),
    skipFallback: key.flag,
  }),
  RegistryAuthConfig: untyped({
    name: required.text,
    username: key.text,
    password: key.secret,
    auth: key.secret,
    identityToken: key.secret,
  }),
  RegistryTLSConfig: untyped({
    name: required.text,
    clientIdentity: key.record(PEM_PAIR),
    ca: key.text,
    insecureSkipVerify: key.flag,
  }),
  CRICustomizationConfig: untyped({ name: required.text, content: key.text }),
  CRIBaseRuntimeSpecConfig: untyped({ overrides: key.any }),
  ImageCacheConfig: untyped({ local: key.record(untyped({ enabled: key.flag })) }),
};
