import { type OwnCertificate, type OwnCertificateConfig, prepareOwnCertificate } from './own-certificate.js';
import { type CertificateFiles, readCertificate, type TlsOptions } from './read-certificate.js';

/** Where a certificate comes from: files of the user, or the server itself. */
export type TlsConfig = CertificateFiles | ({ readonly kind: 'self-signed' } & OwnCertificateConfig);

/** What to serve with, and the certificate that the server made, if it made one. */
export interface PreparedTls {
  readonly options: TlsOptions;
  readonly own: OwnCertificate | undefined;
}

/**
 * Reads, or makes, the certificate to serve with. `now` is in milliseconds since 1970.
 *
 * Errors: CertificateError when it cannot be served; the system's when a file cannot be written.
 */
export async function prepareTls(config: TlsConfig, now: number): Promise<PreparedTls> {
  if (config.kind !== 'self-signed') return { options: await readCertificate(config), own: undefined };
  const own = await prepareOwnCertificate(config, now);
  return { options: { cert: own.cert, key: own.key }, own };
}
