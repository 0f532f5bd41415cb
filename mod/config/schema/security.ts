import { key, required, untyped } from "./keys.ts";

/** Trust and remote management, by kind. */
export const SECURITY_KINDS = {
  TrustedRootsConfig: untyped({ name: required.text, certificates: key.text }),
  ImageVerificationConfig: untyped({
    rules: key.records(untyped({
      imagePattern: key.text,
      image: key.text,
      skip: key.flag,
      deny: key.flag,
      keyless: key.record(untyped({
        issuer: key.text,
        subject: key.text,
        subjectRegex: key.text,
        rekorURL: key.text,
      })),
      publicKey: key.record(untyped({ certificate: key.text })),
    })),
  }),
  SideroLinkConfig: untyped({ apiUrl: required.text, uniqueToken: key.secret }),
};
