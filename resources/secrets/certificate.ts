import { field, record } from "../../mod/schema/mod.ts";

/** A certificate and its key, both PEM text; the key may be empty. */
export interface CertificateAndKey {
  crt: string;
  key: string;
}

/** The fields of {@link CertificateAndKey}. */
export const CERTIFICATE_AND_KEY = record<CertificateAndKey>()({
  crt: field.pem(1),
  key: field.pem(2, { secret: true }),
});

/** A certificate, PEM text. */
export interface Certificate {
  crt: string;
}

/** The fields of {@link Certificate}. */
export const CERTIFICATE = record<Certificate>()({ crt: field.pem(1) });
