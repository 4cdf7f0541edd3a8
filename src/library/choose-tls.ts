import { join } from 'node:path';
import type { Config } from '../config.js';
import { certificateHosts } from '../http/own-certificate.js';
import type { TabulariumOptions } from './tabularium.js';

/** Where a certificate that is made here is kept, under the instance's location. */
const certificateFolder = 'tabularium-certificate';

/**
 * Returns which certificate an instance serves: none, the user's, or one of its own. Its own is kept with the data, or,
 * in memory, made for this instance alone.
 */
export function chooseTls(
  https: TabulariumOptions['https'],
  { inMemory, location, accounts, host, allowedHosts }: Config,
): Config['tls'] {
  if (https === undefined || https === false) return undefined;
  if (https !== true) {
    return 'pfx' in https
      ? { kind: 'pfx', file: https.pfx, password: https.password }
      : { kind: 'pem', cert: https.cert, key: https.key, password: https.password };
  }
  return {
    kind: 'self-signed',
    folder: inMemory ? undefined : join(location, certificateFolder),
    accounts: accounts.map(({ name }) => name),
    hosts: certificateHosts(host, allowedHosts),
  };
}
