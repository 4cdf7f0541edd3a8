import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file of certificates for a command to trust, and how it is removed if it was made for the command. */
export interface CertificateBundle {
  readonly file: string;
  dispose(): Promise<void>;
}

/**
 * Adds a certificate to those that a command of Node.js already trusts through NODE_EXTRA_CA_CERTS, which names one
 * file only. `own` is the file of the certificate, `trusted` the present value of the variable.
 *
 * The bundle is a temporary file. Where there is nothing to keep, the file of the certificate is named itself.
 */
export async function bundleCertificates(own: string, trusted: string | undefined): Promise<CertificateBundle> {
  const others = trusted ? await readTrusted(trusted) : undefined;
  if (others === undefined) return { file: own, dispose: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-trust-'));
  const bundle = join(folder, 'certificates.pem');
  await writeFile(bundle, `${others.trimEnd()}\n${await readFile(own, 'utf8')}`);
  return {
    file: bundle,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The certificates of a file; undefined where it cannot be read, of which Node.js has already warned. */
async function readTrusted(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
