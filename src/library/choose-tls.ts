import { join } from 'node:path';
import type { Config } from '../config.js';
import { certificateHosts } from '../tls/own-certificate.js';
import type { TabulariumOptions } from './tabularium.js';

/** The folder of the self-signed certificate, within the location of the instance. */
const certificateFolder = 'tabularium-certificate';

/**
 * Returns the certificate that an instance serves: none, the user's, or a self-signed one. A self-signed certificate is
 * stored with the data; an instance in memory or in a database makes a new one.
 */
export function chooseTls(
  https: TabulariumOptions['https'],
  { inMemory, database, location, accounts, host, allowedHosts }: Config,
): Config['tls'] {
  if (https === undefined || https === false) return undefined;
  if (https !== true) {
    return 'pfx' in https
      ? { kind: 'pfx', file: https.pfx, password: https.password }
      : { kind: 'pem', cert: https.cert, key: https.key, password: https.password };
  }
  return {
    kind: 'self-signed',
    folder: inMemory || database ? undefined : join(location, certificateFolder),
    accounts: accounts.map(({ name }) => name),
    hosts: certificateHosts(host, allowedHosts),
  };
}
