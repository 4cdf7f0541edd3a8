import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CertificateError, type CertificateFiles, readCertificate, type TlsOptions } from './read-certificate.js';

/** Where a certificate comes from. */
export type TlsConfig =
  | CertificateFiles
  /** Made at the first start and kept in this folder. */
  | { readonly kind: 'self-signed'; readonly folder: string; readonly accounts: readonly string[] };

/** For how long a certificate of our own is good; longer ones are not trusted everywhere. Unit: days. */
const certificateDays = 825;

/** Files of a certificate of our own. */
export function certificateFiles(folder: string): { cert: string; key: string } {
  return { cert: resolve(folder, 'certificate.pem'), key: resolve(folder, 'key.pem') };
}

/** Reads, or makes and keeps, the certificate to serve with. Errors: CertificateError when it cannot be served. */
export async function readTls(config: TlsConfig): Promise<TlsOptions> {
  if (config.kind !== 'self-signed') return readCertificate(config);
  const files = certificateFiles(config.folder);
  if (!(existsSync(files.cert) && existsSync(files.key))) await makeCertificate(config.folder, config.accounts);
  try {
    return await readCertificate({ kind: 'pem', ...files });
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new CertificateError(error.fault, renewal(config.folder));
  }
}

/** How a certificate of our own is replaced. */
export function renewal(folder: string): string {
  return `Delete the folder ${folder}; a new certificate is made at the next start, and must be trusted again.`;
}

async function makeCertificate(folder: string, accounts: readonly string[]): Promise<void> {
  const { generate } = await import('selfsigned');
  const hosts = accounts.flatMap((account) => [`${account}.table.localhost`, `${account}-secondary.table.localhost`]);
  const names = ['localhost', '*.table.localhost', 'host.docker.internal', ...hosts];
  const made = await generate([{ name: 'commonName', value: 'Tabularium on this machine' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + certificateDays * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'key.pem'), made.private, { mode: 0o600 });
  await writeFile(join(folder, 'certificate.pem'), made.cert);
}
