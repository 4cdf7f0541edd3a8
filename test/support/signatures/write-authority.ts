import { mkdir, writeFile } from 'node:fs/promises';
import { generate } from 'selfsigned';
import { certificateFiles } from '../../../src/tls/own-certificate.js';

/**
 * Writes the certificate authority that version 0.1.0 created and asked users to trust, with its key. Returns its PEM.
 * Tests use it to check that a server replaces it, because a holder of its key could sign certificates for any host.
 */
export async function writeAuthority(folder: string): Promise<string> {
  const made = await generate([{ name: 'commonName', value: 'Tabularium on this machine' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 825 * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  await mkdir(folder, { recursive: true });
  await writeFile(certificateFiles(folder).cert, made.cert);
  await writeFile(certificateFiles(folder).key, made.private, { mode: 0o600 });
  return made.cert;
}
