import { type OwnCertificate, type OwnCertificateConfig, prepareOwnCertificate } from './own-certificate.js';
import { type CertificateFiles, readCertificate, type TlsOptions } from './read-certificate.js';

/** The source of a certificate: files of the user, or the server itself. */
export type TlsConfig = CertificateFiles | ({ readonly kind: 'self-signed' } & OwnCertificateConfig);

/** The options for TLS, and the server's own certificate if it uses one. */
export interface PreparedTls {
  readonly options: TlsOptions;
  readonly own: OwnCertificate | undefined;
}

/**
 * Reads the certificate, or creates the server's own. `now` is in milliseconds since 1970.
 *
 * Errors: CertificateError if it cannot be used; the system's error if a file cannot be written.
 */
export async function prepareTls(config: TlsConfig, now: number): Promise<PreparedTls> {
  if (config.kind !== 'self-signed') return { options: await readCertificate(config), own: undefined };
  const own = await prepareOwnCertificate(config, now);
  return { options: { cert: own.cert, key: own.key }, own };
}
