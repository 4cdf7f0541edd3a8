import { join } from 'node:path';
import { type Config, ConfigError } from '../../config.js';
import { certificateHosts, type TlsConfig } from '../../tls/own-certificate.js';
import type { ResolvedOptions } from './option-sources.js';

/** Returns the certificate that a server has; undefined without HTTPS. Errors: ConfigError for settings that need others. */
export function chooseTls(
  options: ResolvedOptions,
  config: Pick<Config, 'inMemory' | 'database' | 'host' | 'allowedHosts'>,
  accounts: readonly string[],
) {
  const { cert, key, pwd, https, location } = options.settings;
  if (cert !== undefined && key !== undefined) {
    return { kind: 'pem', cert, key, ...(pwd !== undefined && { password: pwd }) } satisfies TlsConfig;
  }
  if (cert !== undefined && (pwd !== undefined || /\.(?:pfx|p12)$/i.test(cert))) {
    return { kind: 'pfx', file: cert, password: pwd } satisfies TlsConfig;
  }
  if (cert !== undefined) throw new ConfigError('--cert needs --key for a PEM certificate, or --pwd for a PFX one.');
  if (key !== undefined || pwd !== undefined) throw new ConfigError('--key and --pwd need --cert.');
  if (!https) return undefined;
  // Nobody expects a private key on disk of a server that is not told to keep anything there.
  const folder = keepsCertificate(options, config) ? join(location, 'tabularium-certificate') : undefined;
  const hosts = certificateHosts(config.host, config.allowedHosts);
  return { kind: 'self-signed', folder, accounts, hosts } satisfies TlsConfig;
}

/** Returns whether there is a place for a certificate to be kept: that of the data, or for data in memory one that is given. */
function keepsCertificate(
  options: ResolvedOptions,
  { inMemory, database }: Pick<Config, 'inMemory' | 'database'>,
): boolean {
  const isGiven =
    options.kindOf('location') !== 'default' && !options.takesPrecedence('inMemoryPersistence', 'location');
  return database === undefined && (!inMemory || isGiven);
}
