/** Authorities, leaf certificates and the secrets bundle of a cluster. */
export {
  type AuthorityOptions,
  type CertificateAndKey,
  isKeyOf,
  issueCertificate,
  issueFor,
  type KeyKind,
  type LeafOptions,
  newAuthority,
  newPrivateKey,
  newRsaKey,
  type RsaBits,
  type Subject,
} from "./certificate.ts";
export { type CertificateInfo, certificateInfo } from "./certificate_info.ts";
export {
  decodePem,
  encodePem,
  formatPrivateKey,
  formatPrivateKeyPkcs8,
  fromBase64Pem,
  parsePrivateKey,
  toBase64Pem,
} from "./pem.ts";
export {
  type Base64Pair,
  formatSecretsBundle,
  newSecretsBundle,
  newToken,
  parseSecretsBundle,
  type SecretsBundle,
  SecretsBundleError,
  type SecretsOptions,
} from "./secrets_bundle.ts";
