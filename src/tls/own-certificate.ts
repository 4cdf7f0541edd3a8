import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removeFile, renameFile } from '../change-file.js';
import { cloudTableDomains } from '../protocol/access/accounts.js';
import { CertificateError, type CertificateFiles, readCertificate, type TlsOptions } from './read-certificate.js';

/** Where the server's own certificate is stored, and its hosts. */
interface OwnCertificateConfig {
  /** The folder of the certificate. Undefined: the certificate is for this run, and its key is never written. */
  readonly folder: string | undefined;
  readonly accounts: readonly string[];
  /** Additional names and addresses by which clients reach the server. */
  readonly hosts?: readonly string[];
}

/** The server's own certificate, ready to use. */
export interface OwnCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** The file of the certificate, which clients must trust. */
  readonly file: string;
  /** A message for users if an earlier certificate was replaced. */
  readonly notice: string | undefined;
  /** Removes the files that were written only for this run. */
  dispose(): Promise<void>;
}

/** Validity of a certificate. Some clients do not trust a longer one. Unit: days. */
const certificateDays = 825;

/** Names and addresses of every server: this machine, and this machine as seen from its containers. */
const usualHosts = ['localhost', '*.table.localhost', 'host.docker.internal', '127.0.0.1', '::1'];

/**
 * Returns the hosts that a certificate must name in addition to the usual ones: the address to listen on, if it is a single
 * address, and the hosts that users allow.
 */
export function certificateHosts(host: string, allowedHosts: readonly string[]): readonly string[] {
  return [host, ...allowedHosts].filter((name) => !['', '*', '0.0.0.0', '::'].includes(name));
}

/** Returns the files of a certificate in a folder. */
export function certificateFiles(folder: string): { cert: string; key: string } {
  return { cert: resolve(folder, 'certificate.pem'), key: resolve(folder, 'key.pem') };
}

/** Explains how to get a new certificate. */
export function renewal(folder: string): string {
  return `Delete the folder ${folder}; a new certificate is made at the next start, and must be trusted again.`;
}

/**
 * Reads the server's own certificate, or creates it. `now` is in milliseconds since 1970.
 *
 * Errors: CertificateError if a file cannot be read; the system's error if a file cannot be written.
 */
export async function prepareOwnCertificate(config: OwnCertificateConfig, now: number): Promise<OwnCertificate> {
  const needed = [...usualHosts, ...(config.hosts ?? [])];
  const hosts = [...new Set([...needed, ...accountHosts(config)])];
  if (config.folder === undefined) return makeForOneRun(hosts);
  const files = certificateFiles(config.folder);
  const kept = { file: files.cert, dispose: async () => {} };
  const isThere = existsSync(files.cert) && existsSync(files.key);
  // Not for the name of a new account: all clients would have to trust another certificate, even those that do not use it.
  const replaced = isThere ? await findFault(config.folder, needed, now) : undefined;
  const notice = replaced && (await putAside(config.folder, replaced));
  if (replaced || !isThere) {
    const { cert, key } = await makeCertificate(hosts);
    await mkdir(config.folder, { recursive: true });
    // The key is written first. A certificate without its key would be replaced at the next start.
    await replaceFile(files.key, key, 0o600);
    await replaceFile(files.cert, cert, 0o644);
  }
  await keepPrivate(files.key);
  const [cert, key] = [await readFile(files.cert, 'utf8'), await readFile(files.key, 'utf8')];
  return { cert, key, notice, ...kept };
}

/** Returns the names of the accounts. Programs reach accounts in the cloud by these, which tests direct to this machine. */
function accountHosts({ accounts }: OwnCertificateConfig): readonly string[] {
  const domains = ['table.localhost', ...cloudTableDomains];
  return accounts.flatMap((name) => domains.flatMap((one) => [`${name}.${one}`, `${name}-secondary.${one}`]));
}

/** Creates a certificate for this run: the certificate is in a temporary folder, the key stays in memory. */
async function makeForOneRun(hosts: readonly string[]): Promise<OwnCertificate> {
  const { cert, key } = await makeCertificate(hosts);
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-certificate-'));
  const file = join(folder, 'certificate.pem');
  await writeFile(file, cert);
  return { cert, key, file, notice: undefined, dispose: () => removeFile(folder) };
}

/** Why a stored certificate cannot be used any more. */
interface Fault {
  readonly reason: string;
  readonly certificate: X509Certificate;
}

/** Returns why the stored certificate cannot be used, or undefined if it can. */
async function findFault(folder: string, hosts: readonly string[], now: number): Promise<Fault | undefined> {
  const files = certificateFiles(folder);
  try {
    const certificate = new X509Certificate(await readFile(files.cert));
    const reason = faultOf(certificate, await readFile(files.key, 'utf8'), hosts, now);
    return reason === undefined ? undefined : { reason, certificate };
  } catch (error) {
    throw await nameFault(folder, error);
  }
}

/** Returns the error for an unreadable file, with its name and the fix. */
async function nameFault(folder: string, error: unknown): Promise<unknown> {
  try {
    await readCertificate({ kind: 'pem', ...certificateFiles(folder) });
    return error;
  } catch (named) {
    return named instanceof CertificateError ? new CertificateError(named.fault, renewal(folder)) : error;
  }
}

function faultOf(certificate: X509Certificate, key: string, hosts: readonly string[], now: number): string | undefined {
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'did not belong to its key';
  if (Date.parse(certificate.validTo) <= now) return `ended on ${certificate.validTo}`;
  const missing = hosts.find((host) => !isFor(certificate, host));
  return missing === undefined ? undefined : `was not for ${missing}`;
}

function isFor(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  // A pattern matches if the certificate is valid for one name in place of the star.
  return certificate.checkHost(host.replace(/^\*\./, 'any.')) !== undefined;
}

/** Copies the old certificate, without its key, so that users can find it in their trust stores and remove it. */
async function putAside(folder: string, { reason, certificate }: Fault): Promise<string> {
  const { cert } = certificateFiles(folder);
  const old = resolve(folder, 'replaced-certificate.pem');
  await copyFile(cert, old);
  return (
    `The certificate ${cert} ${reason}. It was replaced by a new one: trust the new one. ` +
    `Remove the old one from every store that trusts it; it is kept as ${old}, ` +
    `its SHA-256 fingerprint is ${certificate.fingerprint256}.`
  );
}

/** Writes a file atomically. It has this mode from its first byte on. */
async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const written = `${file}.${process.pid}.new`;
  await removeFile(written);
  await writeFile(written, text, { mode, flag: 'wx' });
  await renameFile(written, file);
}

/** Makes a key unreadable for other users of the machine: an earlier version or a copy may have left it readable. */
async function keepPrivate(key: string): Promise<void> {
  if (process.platform !== 'win32' && ((await stat(key)).mode & 0o077) !== 0) await chmod(key, 0o600);
}

/**
 * Creates a certificate for these hosts that cannot sign other certificates, so a client that trusts it trusts one server.
 * It does not have a key usage: if a self-signed certificate has one, OpenSSL before 3.0 trusts it only if the usage includes
 * signing certificates.
 */
async function makeCertificate(hosts: readonly string[]): Promise<{ cert: string; key: string }> {
  const { default: selfsigned } = await import('selfsigned');
  const made = await selfsigned.generate([{ name: 'commonName', value: 'Tabularium on this machine' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + certificateDays * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host })),
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** The source of a certificate: files of the user, or the server itself. */
export type TlsConfig = CertificateFiles | ({ readonly kind: 'self-signed' } & OwnCertificateConfig);

/** The options for TLS, and the server's own certificate if it uses one. */
interface PreparedTls {
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
