import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { certificateFiles } from '../http/tls.js';
import type { TabulariumOptions } from './tabularium.js';

/** The certificate of an instance, and how what was made for it is taken away again. */
export interface InstanceCertificate {
  readonly tls: Config['tls'];
  /** The certificate that was made for the instance, as PEM; readable once the server listens. */
  read(): Promise<string | undefined>;
  dispose(): Promise<void>;
}

/** Where a certificate that is made here is kept, under the instance's location. */
const certificateFolder = 'tabularium-certificate';

/** Chooses the certificate: none, the user's, or one of our own, kept beside the data or, in memory, for a while. */
export async function chooseCertificate(
  https: TabulariumOptions['https'],
  { inMemory, location, accounts }: Config,
): Promise<InstanceCertificate> {
  if (https === undefined || https === false) return withoutFolder(undefined);
  if (https !== true) {
    return withoutFolder(
      'pfx' in https
        ? { kind: 'pfx', file: https.pfx, password: https.password }
        : { kind: 'pem', cert: https.cert, key: https.key, password: https.password },
    );
  }
  const folder = inMemory ? await mkdtemp(join(tmpdir(), 'tabularium-')) : join(location, certificateFolder);
  return {
    tls: { kind: 'self-signed', folder, accounts: accounts.map(({ name }) => name) },
    read: () => readFile(certificateFiles(folder).cert, 'utf8'),
    async dispose() {
      if (inMemory) await rm(folder, { recursive: true, force: true });
    },
  };
}

function withoutFolder(tls: Config['tls']): InstanceCertificate {
  return { tls, read: async () => undefined, dispose: async () => {} };
}
