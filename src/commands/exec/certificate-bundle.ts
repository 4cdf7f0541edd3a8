import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFile } from '../../change-file.js';

/** A file of certificates for a command to trust. */
export interface CertificateBundle {
  readonly file: string;
  /** Removes the file if it is temporary. */
  dispose(): Promise<void>;
}

/**
 * Adds a certificate to those that a Node.js command already trusts through NODE_EXTRA_CA_CERTS. The variable can name
 * only one file. `own` is the file of the certificate; `trusted` is the current value of the variable.
 *
 * The bundle is a temporary file. Without certificates to keep, it is the file of the certificate itself.
 */
export async function bundleCertificates(own: string, trusted: string | undefined): Promise<CertificateBundle> {
  const others = trusted ? await readTrusted(trusted) : undefined;
  if (others === undefined) return { file: own, dispose: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-trust-'));
  const bundle = join(folder, 'certificates.pem');
  await writeFile(bundle, `${others.trimEnd()}\n${await readFile(own, 'utf8')}`);
  return {
    file: bundle,
    dispose: () => removeFile(folder),
  };
}

/** Returns the certificates of a file, or undefined if it cannot be read. Node.js has already warned about that. */
async function readTrusted(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
